import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { runNotebook } from "../../../../src/notebook/run/run-notebook.js";
import { code, notebookOf } from "../../../notebook/cells.js";
import { testedEngine } from "../../../support/tested-engine.js";

/** Statements that break built-ins of the runner, and the names in the error. */
const broken: readonly (readonly [string, string])[] = [
  ['JSON.stringify = () => "mine"', "JSON.stringify"],
  ["JSON.stringify = () => { throw 1; }", "JSON.stringify"],
  ["JSON.parse = () => 7", "JSON.parse"],
  ["globalThis.JSON = undefined", "JSON"],
  ["Array.prototype.map = () => []", "Array.prototype.map"],
  ["Array.prototype.push = () => 0", "Array.prototype.push"],
  ["Array.prototype.join = () => 'j'", "Array.prototype.join"],
  ["Array.prototype[Symbol.iterator] = function* () {}", "Symbol(Symbol.iterator)"],
  ["Array.prototype[Symbol.iterator] = () => { throw 1; }", "Symbol(Symbol.iterator)"],
  ["Object.getPrototypeOf([].values()).next = () => ({ done: true })", "Array iterators.next"],
  ["Array.from = () => []", "Array.from"],
  ["globalThis.Promise = class {}", "Promise"],
  ["Promise.race = () => new Promise(() => {})", "Promise.race"],
  ["Promise.resolve = () => new Promise(() => {})", "Promise.resolve"],
  ["process.on = process.once = process.emit = () => process", "process.on, process.once, process.emit"],
  ["process.nextTick = () => {}", "process.nextTick"],
  ["globalThis.process = undefined", "process"],
  ["require('node:events').EventEmitter.prototype.emit = () => false", "EventEmitter.prototype.emit"],
  ["globalThis.setTimeout = () => 0", "setTimeout"],
  ["globalThis.queueMicrotask = () => {}", "queueMicrotask"],
  ["globalThis.Map = class {}", "Map"],
  ["Map.prototype.get = () => undefined", "Map.prototype.get"],
  ["Object.keys = Object.entries = () => []", "Object.keys, Object.entries"],
  ["Object.prototype.toJSON = () => 'mine'", "Object.prototype"],
  ["globalThis.Object = undefined", "Object"],
  ["globalThis.Buffer = undefined", "Buffer"],
  ["Buffer.from = () => undefined", "Buffer.from"],
  ["String.prototype.replace = () => 's'", "String.prototype.replace"],
  ["RegExp.prototype.exec = () => null", "RegExp.prototype.exec"],
  [
    "Function.prototype.call = Function.prototype.apply = () => undefined",
    "Function.prototype.apply, Function.prototype.call",
  ],
  ["globalThis.Symbol = undefined", "Symbol"],
  ["Reflect.get = () => undefined", "Reflect.get"],
  [
    "for (const key of Object.getOwnPropertyNames(globalThis)) if (key !== 'globalThis') delete globalThis[key]",
    "Array, Function",
  ],
  ["JSON.stringify = () => 'mine'; throw new Error('own')", "JSON.stringify"],
  ["JSON.stringify = () => 'mine'; await new Promise((done) => setTimeout(done, 5))", "JSON.stringify"],
];

/** Statements that replace built-ins by functions that work, or that the runner does not use. */
const sound: readonly (readonly [string, string, string])[] = [
  [
    "const own = JSON.stringify; JSON.stringify = Object.assign((...all) => own(...all), { own: 1 })",
    "JSON.stringify.own",
    "1",
  ],
  [
    "const { map } = Array.prototype; Array.prototype.map = function (...all) { return map.apply(this, all); }; Array.prototype.map.own = 2",
    "[1].map.own",
    "2",
  ],
  ["Math.random = () => 4", "Math.random()", "4"],
  ["Array.prototype.last = function () { return this[this.length - 1]; }", "[1, 5].last()", "5"],
  ["process.exit = () => 6", "process.exit()", "6"],
  ["process.send = () => true", "process.send()", "true"],
  ["globalThis.structuredClone = () => 7", "structuredClone()", "7"],
  ["process.stdout.write = () => true", "8", "8"],
];

const untyped = (statement: string) =>
  `// @ts-nocheck\nconst g: any = globalThis; await eval(${JSON.stringify(`(async () => { ${statement} })()`)}); "one"`;

async function outputs(cells: readonly string[]): Promise<readonly string[]> {
  const cwd = await mkdtemp(join(tmpdir(), "siteframe-builtins-"));
  onTestFinished(() => rm(cwd, { recursive: true }));
  const notebook = notebookOf(...cells.map((source) => code(source, "raises-exception")));
  const executed = await runNotebook(notebook, { cwd, engine: testedEngine, timeoutMs: 60_000 });
  return executed.cells.map((cell) => JSON.stringify(cell.cell_type === "code" ? cell.outputs : []));
}

test("a cell that breaks a built-in fails, and the next cell runs", async () => {
  const found = await outputs(
    broken.flatMap(([statement]) => [untyped(statement), 'console.log("hi"); [1, 2].length']),
  );
  for (const [index, [statement, names]] of broken.entries()) {
    const context = `${statement}: ${found[2 * index]}`;
    expect(found[2 * index]?.includes("This cell broke ") && found[2 * index]?.includes(names), context).toBe(true);
    expect(found[2 * index + 1], statement).toContain('"hi\\n"');
    expect(found[2 * index + 1], statement).toContain('"text/plain":"2"');
  }
});

test.each([
  ["then", "function () { return this; }"],
  ["catch", "() => undefined"],
])("a cell that breaks a method of promises fails: %s", async (name, by) => {
  const [found] = await outputs([untyped(`Promise.prototype.${name} = ${by}`)]);
  expect(found).toContain(`This cell broke a built-in: Promise.prototype.${name}.`);
});

test("replacements that work stay", async () => {
  const found = await outputs(
    sound.flatMap(([statement, ask]) => [
      untyped(statement),
      untyped(`g.found = ${ask}`),
      "// @ts-nocheck\nString(globalThis.found)",
    ]),
  );
  for (const [index, [statement, , expected]] of sound.entries()) {
    expect(found[3 * index], statement).toContain("'one'");
    expect(found[3 * index + 2], statement).toContain(`'${expected}'`);
  }
});

test("messages that a cell sends itself do no harm", async () => {
  const found = await outputs([
    untyped(
      "for (const one of [7, null, 'x', [], { type: 'stream' }, { type: 'display', cell: 1 }]) process.send(one)",
    ),
    "1 + 1",
  ]);
  expect(found[1]).toContain('"text/plain":"2"');
});
