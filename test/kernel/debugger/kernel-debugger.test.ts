import { once } from "node:events";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type Exchange, type Json, KernelClient, type Received, result, texts } from "../support/kernel-client.js";

let kernel: KernelClient;
/** How many events of `debug_event` were looked at. */
let seen = 0;

beforeEach(async () => {
  kernel = await KernelClient.start();
  seen = 0;
});
afterEach(() => kernel.close());

async function ask(command: string, values: Json = {}): Promise<Json> {
  const content = { type: "request", seq: 7, command, arguments: values };
  const { reply } = await kernel.ask("debug_request", content, "control");
  expect(reply).toMatchObject({ type: "response", request_seq: 7, command });
  return reply;
}

async function body(command: string, values: Json = {}): Promise<Json> {
  const reply = await ask(command, values);
  expect(reply["message"]).toBeUndefined();
  expect(reply["success"]).toBe(true);
  return reply["body"];
}

async function attach(): Promise<void> {
  await body("initialize", { clientID: "test", linesStartAt1: true, columnsStartAt1: true });
  await body("attach");
}

/** Sets breakpoints in a cell's code, and gives the path that it has for clients. */
async function breakAt(code: string, ...breakpoints: readonly (number | Json)[]): Promise<string> {
  const { sourcePath } = await body("dumpCell", { code });
  const wanted = breakpoints.map((each) => (typeof each === "number" ? { line: each } : each));
  await body("setBreakpoints", { source: { path: sourcePath }, breakpoints: wanted, sourceModified: false });
  await body("configurationDone");
  return sourcePath;
}

/** Attaches, and runs code until its first breakpoint stops it. */
async function stopIn(code: string, ...breakpoints: readonly (number | Json)[]) {
  await attach();
  const path = await breakAt(code, ...breakpoints);
  const running = kernel.execute(code);
  // A test may end before the cell does, and the kernel with it.
  running.catch(() => undefined);
  const stopped = await event("stopped");
  return { running, path, stopped };
}

/** Continues a stopped cell. @returns its result */
async function endOf(running: Promise<Exchange>): Promise<unknown> {
  await body("continue", { threadId: 1 });
  return result(await running);
}

/** The next event of a kind that has not been waited for. */
async function event(kind: string): Promise<Json> {
  const isNew = (received: Received) =>
    received.type === "debug_event" &&
    received.content["event"] === kind &&
    kernel.broadcasts.indexOf(received) >= seen;
  const received = await kernel.until(isNew);
  seen = kernel.broadcasts.indexOf(received) + 1;
  return received.content["body"];
}

const frames = async (): Promise<Json[]> => (await body("stackTrace", { threadId: 1 }))["stackFrames"];
const places = async () => (await frames()).map(({ name, line }) => `${name}:${line}`);

async function scope(name: string, frameId = 1): Promise<Json> {
  const { scopes } = await body("scopes", { frameId });
  const { variablesReference } = scopes.find((each: Json) => each["name"] === name);
  return inside(variablesReference);
}

/** Names and values. */
async function inside(variablesReference: number, page: Json = {}): Promise<Json> {
  const { variables } = await body("variables", { variablesReference, ...page });
  return Object.fromEntries(variables.map((each: Json) => [each["name"], each["value"]]));
}

const loop = `let sum = 0;
// a comment
function add(n: number): number {
  const twice: number = n * 2;
  return twice;
}
for (const n of [1, 2]) {
  sum += add(n);
}
sum`;

describe("before a client attaches", () => {
  test("the kernel reports that it can debug, and how cells are named", async () => {
    const { reply } = await kernel.ask("kernel_info_request");
    expect(reply).toMatchObject({ debugger: true, supported_features: expect.arrayContaining(["debugger"]) });
    expect(await body("debugInfo")).toMatchObject({
      ...{ isStarted: false, hashMethod: "Murmur2", hashSeed: 0xc70f6907, tmpFileSuffix: ".ts" },
      ...{ breakpoints: [], stoppedThreads: [], richRendering: true },
    });
  });

  test("requests that need a session and unknown requests are refused with a message", async () => {
    expect(await ask("stackTrace")).toMatchObject({ success: false, message: expect.stringContaining("attach") });
    expect(await ask("fly")).toMatchObject({ success: false, message: "Unsupported debugger command: fly." });
    expect(await ask("constructor")).toMatchObject({ success: false });
  });
});

describe("a breakpoint", () => {
  test("stops a cell, which shows its frames and variables and goes on", async () => {
    const { running, path, stopped } = await stopIn(loop, 5);
    expect(stopped).toMatchObject({ reason: "breakpoint", threadId: 1, allThreadsStopped: true });
    expect(await frames()).toMatchObject([
      { id: 1, name: "add", line: 5, source: { path } },
      { id: 2, name: "Cell 1", line: 8, source: { path } },
    ]);
    expect(await scope("Locals")).toEqual({ n: "1", twice: "2" });
    const around = await scope("Locals", 2);
    expect(around).toMatchObject({ n: "1" });
    expect(Object.keys(around).filter((name) => /siteframe|exports|require|module/.test(name))).toEqual([]);
    expect(await scope("Notebook", 2)).toMatchObject({ sum: "0" });
    expect((await body("debugInfo"))["stoppedThreads"]).toEqual([1]);
    expect((await body("source", { source: { path } }))["content"]).toBe(loop);
    expect((await body("threads"))["threads"]).toEqual([{ id: 1, name: "Cells" }]);

    await body("continue", { threadId: 1 });
    await event("continued");
    await event("stopped");
    expect(await scope("Locals")).toEqual({ n: "2", twice: "4" });
    expect(await scope("Notebook")).toMatchObject({ sum: "2", add: expect.stringContaining("function add") });
    expect(await endOf(running)).toBe("6");
    expect((await body("debugInfo"))["stoppedThreads"]).toEqual([]);
    expect(await ask("continue")).toMatchObject({ success: false, message: "No cell is stopped." });
  });

  test.each([
    ["a line without code, for which the next line with code is taken", 2, ["add:4", "Cell 1:8"]],
    ["the line of the result", 10, ["Cell 1:10"]],
  ])("can be in %s", async (_, line, expected) => {
    const { running } = await stopIn(loop, line);
    expect(await places()).toEqual(expected);
    await breakAt(loop);
    expect(await endOf(running)).toBe("6");
  });

  test("can have a condition", async () => {
    const { running } = await stopIn(loop, { line: 4, condition: "n === 2" });
    expect(await scope("Locals")).toMatchObject({ n: "2" });
    await body("continue", { threadId: 1 });
    expect((await running).reply["status"]).toBe("ok");
    expect(kernel.broadcasts.filter(({ content }) => content["event"] === "stopped")).toHaveLength(1);
  });

  test("stops functions of cells that ran before the debugger attached, in callbacks too", async () => {
    const code = "function late(n: number) {\n  return n + 1;\n}\nlet sum = 0;";
    await kernel.execute(code);
    await attach();
    await breakAt(code, 2);
    const ended = 'process.getBuiltinModule("node:fs").existsSync("it ended")';
    const cell = `const waits = setInterval(() => { if (${ended}) { clearInterval(waits); sum = late(41); } }, 5);\n'set'`;
    expect(result(await kernel.execute(cell))).toBe("'set'");
    writeFileSync(join(kernel.folder, "it ended"), "");
    await event("stopped");
    expect(await places()).toEqual(["late:2", "Cell 2:1"]);
    await body("continue", { threadId: 1 });
    expect(result(await kernel.execute("sum"))).toBe("42");
  });

  test("stops in a file next to the notebook, and its source is available", async () => {
    const text = "export type N = number;\n\nexport function half(n: N): N {\n  return n / 2;\n}\n";
    const path = join(kernel.folder, "halves.ts");
    writeFileSync(path, text);
    await attach();
    await kernel.execute('import { half } from "./halves.ts";');
    await body("setBreakpoints", { source: { path }, breakpoints: [{ line: 4 }] });
    const running = kernel.execute("half(8)");
    await event("stopped");
    expect((await frames())[0]).toMatchObject({ name: "half", line: 4, source: { path, name: "halves.ts" } });
    expect((await body("source", { source: { path } }))["content"]).toBe(text);
    expect(await endOf(running)).toBe("4");
  });

  test("no longer stops cells after its removal or a disconnect", async () => {
    await attach();
    await breakAt(loop, 4);
    await breakAt(loop);
    expect(result(await kernel.execute(loop))).toBe("6");
    const { running } = await stopIn(loop, 4);
    await body("disconnect", { restart: false, terminateDebuggee: false });
    expect(result(await running)).toBe("6");
    expect(result(await kernel.execute(loop))).toBe("6");
    expect(await body("debugInfo")).toMatchObject({ isStarted: false, stoppedThreads: [] });
  });

  test("can be a `debugger` statement", async () => {
    await attach();
    const running = kernel.execute("const a = 1;\ndebugger;\na");
    expect(await event("stopped")).toMatchObject({ reason: "breakpoint" });
    expect(await places()).toEqual(["Cell 1:2"]);
    expect(await endOf(running)).toBe("1");
  });
});

describe("steps", () => {
  const stepping = async (command: string) => {
    await body(command, { threadId: 1 });
    expect(await event("stopped")).toMatchObject({ reason: "step" });
    return places();
  };

  test("go over, into and out of functions, and over an await", async () => {
    await kernel.execute("const one = 1;\nconst plus = (n: number) => {\n  const m = n + one;\n  return m;\n};");
    const code = "const a = one + 1;\nconst b = plus(a);\nconst c = await Promise.resolve(b);\nconst d = plus(c);\nd";
    const { running } = await stopIn(code, 1);
    expect(await places()).toEqual(["Cell 2:1"]);
    expect(await stepping("next")).toEqual(["Cell 2:2"]);
    expect(await stepping("stepIn")).toEqual(["plus:3", "Cell 2:2"]);
    expect(await stepping("next")).toEqual(["plus:4", "Cell 2:2"]);
    expect((await stepping("stepOut")).at(0)).toMatch(/^Cell 2:[23]$/);
    while ((await places())[0] !== "Cell 2:4") await stepping("next");
    expect(await scope("Notebook")).toMatchObject({ one: "1", a: "2", b: "3", c: "3" });
    expect(await stepping("next")).toEqual(["Cell 2:5"]);
    await body("next", { threadId: 1 });
    expect(result(await running)).toBe("4");
    expect((await body("debugInfo"))["stoppedThreads"]).toEqual([]);
  });

  test("into code that is not the user's go on to the user's callbacks", async () => {
    const code =
      "const list = [1, 2];\nconst more = list.map((n) => {\n  return n + 1;\n});\nconst text = String(more);\ntext";
    const { running } = await stopIn(code, 2, 5);
    expect((await stepping("stepIn"))[0]).toMatch(/:3$/);
    await body("continue", { threadId: 1 });
    await event("stopped");
    expect(await places()).toEqual(["Cell 1:5"]);
    expect(await stepping("stepIn")).toEqual(["Cell 1:6"]);
    expect(await endOf(running)).toBe("'2,3'");
  });
});

describe("values", () => {
  const code = `const list = Array.from({ length: 250 }, (_, i) => i);
const site = { name: "Llano Verde", size: { ha: 12 }, get area() { throw new Error("ran"); } };
const big = new Float64Array(5_000_000);
const map = new Map([["a", 1]]);
const seen = new Proxy({}, { get: () => { throw new Error("trapped"); }, ownKeys: () => { throw new Error("trapped"); } });
let nothing;
const odd = [NaN, 10n, -0, "x".repeat(3)];
function show() {
  const own = site;
  return own;
}
show();
0`;

  test("open level by level, long lists in parts, without running getters and traps", async () => {
    const { running } = await stopIn(code, 10);
    const { scopes } = await body("scopes", { frameId: 1 });
    const notebook = scopes.find((each: Json) => each["name"] === "Notebook")["variablesReference"];
    const { variables } = await body("variables", { variablesReference: notebook });
    const named = new Map<string, Json>(variables.map((each: Json) => [each["name"], each]));
    const open = (name: string, page?: Json) => inside(named.get(name)?.["variablesReference"], page);
    expect(await open("site")).toEqual({ name: '"Llano Verde"', size: "{ha: 12}", area: "(getter)" });
    expect(Object.keys(await open("list"))).toEqual(["[0 … 99]", "[100 … 199]", "[200 … 249]"]);
    expect(await open("list", { start: 240, count: 3 })).toEqual({ 240: "240", 241: "241", 242: "242" });
    expect(Object.keys(await open("big"))).toHaveLength(5);
    expect(await open("map")).toEqual({ 0: '{key: "a", value: 1}' });
    expect(await open("odd")).toEqual({ 0: "NaN", 1: "10n", 2: "-0", 3: '"xxx"' });
    expect(named.get("seen")).toMatchObject({ variablesReference: 0 });
    expect(named.get("nothing")).toMatchObject({ value: "undefined", variablesReference: 0 });
    expect(named.get("map")).toMatchObject({ type: "Map", value: "Map(1)" });
    expect(named.get("list")).toMatchObject({ value: expect.stringMatching(/^\[0, 1, 2, /) });
    expect(named.get("list")).not.toHaveProperty("type");
    expect(await endOf(running)).toBe("0");
    const late = await ask("variables", { variablesReference: notebook });
    expect(late).toMatchObject({ success: false, message: expect.stringContaining("has expired") });
  });

  test("of the notebook are shown while no cell is stopped", async () => {
    await kernel.execute(code.replace("show();", ""));
    await attach();
    const { variables } = await body("inspectVariables");
    const site = variables.find((each: Json) => each["name"] === "site");
    expect(await inside(site["variablesReference"])).toMatchObject({ size: "{ha: 12}" });
    expect(variables.map((each: Json) => each["name"])).not.toContain("__siteframe_result");
    const rich = await body("richInspectVariables", { variableName: "site" });
    expect(rich["data"]["text/plain"]).toContain("Llano Verde");
  });

  test("are evaluated in a frame, with the names of all cells, which can be set", async () => {
    await kernel.execute("let earlier = 5; const table = aq.table({ a: [1, 2] });");
    const { running } = await stopIn(loop, 5);
    const evaluate = (expression: string) => ask("evaluate", { expression, frameId: 1, context: "repl" });
    expect((await evaluate("twice + earlier"))["body"]).toMatchObject({ result: "7" });
    expect((await evaluate("earlier = 6"))["success"]).toBe(true);
    expect((await evaluate("missing"))["message"]).toContain("missing is not defined");
    expect((await evaluate("throw 1"))["success"]).toBe(false);
    const { data } = await body("richInspectVariables", { variableName: "table", frameId: 1 });
    expect(data["text/html"]).toContain("table");
    expect((await body("richInspectVariables", { variableName: "twice", frameId: 1 }))["data"]["text/plain"]).toBe("2");
    await breakAt(loop);
    await endOf(running);
    expect(result(await kernel.execute("earlier"))).toBe("6");
    expect(result(await kernel.execute("'earlier' in globalThis"))).toBe("false");
  });
});

describe("while a cell is stopped", () => {
  test("the kernel replies", async () => {
    await stopIn(loop, 5);
    expect(await kernel.beat()).toBe("ping");
    expect((await kernel.ask("kernel_info_request", {}, "control")).reply["status"]).toBe("ok");
    const { reply } = await kernel.ask("complete_request", { code: "JSON.str", cursor_pos: 8 });
    expect(reply["matches"]).toContain("stringify");
  });

  test("an interrupt ends it, and the variables stay", async () => {
    await kernel.execute("let keep = 41;");
    const { running } = await stopIn(loop, 5);
    await kernel.ask("interrupt_request", {}, "control");
    expect((await running).reply).toMatchObject({ status: "error", ename: "AbortError" });
    expect(result(await kernel.execute("keep + 1"))).toBe("42");
    const again = kernel.execute(loop);
    await event("stopped");
    expect((await places())[0]).toBe("add:5");
    await breakAt(loop);
    expect(await endOf(again)).toBe("6");
  });

  test("a shutdown ends the kernel at once", async () => {
    await stopIn(loop, 5);
    const ended = once(kernel.process, "exit").then(([code]) => code);
    await kernel.send(kernel.create("shutdown_request", { restart: false }), "control");
    // A kernel that does not end by itself is killed, and then has no exit code.
    expect(await ended).toBe(0);
  });
});

describe("variables that loops change", () => {
  const counting = "let sum = 0;\nfor (const n of [1, 2, 3]) {\n  sum += n;\n}\nsum";

  test("have their values in the cell's own loop, and can be evaluated and set", async () => {
    const { running } = await stopIn(counting, { line: 3, condition: "sum === 3 // the third time" });
    expect(await places()).toEqual(["Cell 1:3"]);
    expect(await scope("Locals")).toMatchObject({ n: "3", sum: "3" });
    expect(await scope("Notebook")).toMatchObject({ sum: "3" });
    expect((await body("evaluate", { expression: "sum + n", frameId: 1 }))["result"]).toBe("6");
    expect((await body("evaluate", { expression: "sum = 40", frameId: 1 }))["result"]).toBe("40");
    expect((await body("evaluate", { expression: "sum", frameId: 1 }))["result"]).toBe("40");
    expect(await scope("Notebook")).toMatchObject({ sum: "40" });
    expect(await endOf(running)).toBe("43");
    expect((await body("evaluate", { expression: "sum" }))["result"]).toBe("43");
  });

  test("of an earlier cell have their values there, and are set for all cells", async () => {
    const first = "let sum = 0;\nlet rows = [{ a: 1 }];\nfunction read() {\n  return sum;\n}";
    await kernel.execute(first);
    await kernel.execute("for (let i = 0; i < 5; i++) {\n  sum += i;\n  rows = [{ a: sum }];\n}");
    await attach();
    await breakAt(first, { line: 4, condition: "sum === 10 && rows[0].a === 10" });
    const running = kernel.execute("read()");
    await event("stopped");
    expect(await places()).toEqual(["read:4", "Cell 3:1"]);
    const shown = await scope("Closure");
    expect(shown).toMatchObject({ sum: "10" });
    expect(shown["rows"]).toContain("[");
    const { scopes } = await body("scopes", { frameId: 1 });
    const closure = scopes.find((each: Json) => each["name"] === "Closure");
    const { variables } = await body("variables", { variablesReference: closure["variablesReference"] });
    const rows = variables.find((each: Json) => each["name"] === "rows");
    expect(await inside(rows["variablesReference"])).toEqual({ "0": "{a: 10}" });
    const expression = "(() => { sum += 5; return [sum, read()].join(); })()";
    expect((await body("evaluate", { expression, frameId: 1 }))["result"]).toBe('"15,15"');
    expect(await endOf(running)).toBe("15");
  });

  test("are changed in one step with their line", async () => {
    await kernel.execute("let several = 0, others = 0, more = 0;");
    const { running } = await stopIn(counting.replace("sum += n;", "sum += n; several++; others++; more++;"), 1);
    const lines: string[] = [];
    for (let step = 0; step < 4; step++) {
      lines.push(...(await places()));
      await body("next", { threadId: 1 });
      await event("stopped");
    }
    expect(lines).toEqual(["Cell 2:1", "Cell 2:2", "Cell 2:3", "Cell 2:2"]);
    await body("disconnect");
    expect(result(await running)).toBe("6");
  });
});

test("cells run after a disconnect while a pause is pending and a value is shown", async () => {
  await kernel.execute("let keep = 5");
  for (let round = 0; round < 20; round += 1) {
    await attach();
    await body("pause", { threadId: 1 });
    const shown = ask("richInspectVariables", { variableName: "keep", frameId: 1 });
    await body("disconnect");
    expect(result(await kernel.execute("keep"))).toBe("5");
    await shown;
  }
});

test("a cell stops at its errors if asked, but not at the kernel's own errors", async () => {
  await attach();
  await body("setExceptionBreakpoints", { filters: ["raised"] });
  const running = kernel.execute(
    "const before = 1;\nfunction fail() {\n  throw new RangeError('bad');\n}\nfail();\nconst after = 2;",
  );
  expect(await event("stopped")).toMatchObject({ reason: "exception", text: "RangeError: bad" });
  expect(await places()).toEqual(["fail:3", "Cell 1:5"]);
  await body("continue", { threadId: 1 });
  expect((await running).reply).toMatchObject({ status: "error", ename: "RangeError" });
  await body("setExceptionBreakpoints", { filters: [] });
  expect((await kernel.execute("throw 1")).reply["status"]).toBe("error");
});

test("a running loop can be paused", async () => {
  await attach();
  const running = kernel.execute(
    "let turns = 0;\nwhile (turns >= 0) {\n  if (turns++ === 1) console.log('begun');\n}\nturns",
  );
  await kernel.begun("begun");
  await body("pause", { threadId: 1 });
  expect(await event("stopped")).toMatchObject({ reason: "pause" });
  expect((await places())[0]).toMatch(/^Cell 1:[23]$/);
  expect((await ask("evaluate", { expression: "turns = -5", frameId: 1 }))["success"]).toBe(true);
  await body("continue", { threadId: 1 });
  const ended = await running;
  expect(texts(ended)).toEqual(["stdout: begun\n"]);
  expect(ended.reply["status"]).toBe("ok");
});

describe("endless code of the user", () => {
  const endlessKinds = [
    ["evaluated", "evaluate", { expression: "begin(); while (true) {}" }],
    ["in a function that is evaluated", "evaluate", { expression: "spin()" }],
    ["in a getter that is evaluated", "evaluate", { expression: "slow.value" }],
    ["in a callback of a promise that is evaluated", "evaluate", { expression: "Promise.resolve().then(spin)" }],
    ["while a value is shown", "richInspectVariables", { variableName: "shown" }],
    ["after a promise to show a value", "richInspectVariables", { variableName: "late" }],
  ] as const;

  /** Declares functions and values that loop, and say when they begin to. */
  async function prepare(): Promise<{ readonly begun: () => Promise<void> }> {
    const mark = join(kernel.folder, "begun");
    const code = `const begin = () => process.getBuiltinModule("node:fs").writeFileSync(${JSON.stringify(mark)}, "");
const spin = () => { begin(); while (true); };
const slow = { get value() { return spin(); } };
const shown = { [Symbol.for("Jupyter.display")]: spin };
const late = { [Symbol.for("Jupyter.display")]: async () => { await null; spin(); } };
let keep = 41;`;
    expect((await kernel.execute(code)).reply).toMatchObject({ status: "ok" });
    await attach();
    return { begun: () => expect.poll(() => existsSync(mark)).toBe(true) };
  }

  async function interrupt(): Promise<void> {
    const { reply } = await kernel.ask("interrupt_request", {}, "control");
    expect(reply).toEqual({ status: "ok" });
  }

  test.each(endlessKinds)("%s ends with an interrupt, and cells run", async (kind, command, values) => {
    const { begun } = await prepare();
    const evaluating = ask(command, values);
    const waiting = ask(command, values);
    await begun();
    await interrupt();
    const ends = await Promise.all([evaluating, waiting]);
    const interrupted = { success: false, message: "The evaluation was interrupted." };
    // A promise is a value, whatever its callbacks do.
    if (!kind.includes("callback")) expect(ends).toMatchObject([interrupted, interrupted]);
    expect(result(await kernel.execute("keep + 1"))).toBe("42");
    expect((await body("evaluate", { expression: "keep" }))["result"]).toBe("41");
  });

  test.each(endlessKinds.slice(0, -1))(
    "%s in a stopped cell ends with the cell by an interrupt",
    async (kind, command, values) => {
      const { begun } = await prepare();
      const { running } = await stopIn(loop, 5);
      const evaluating = ask(command, { ...values, frameId: 1 });
      // Callbacks of promises run when the cell goes on.
      if (!kind.includes("callback")) await begun();
      await interrupt();
      expect((await running).reply).toMatchObject({ status: "error", ename: "AbortError" });
      await evaluating;
      expect(result(await kernel.execute("keep + 1"))).toBe("42");
    },
  );

  test("in an expression ends after a time limit, with a message", async () => {
    await attach();
    expect(await ask("evaluate", { expression: "while (true) {}" })).toMatchObject({
      success: false,
      message: "The expression ran longer than 1.5 s. Run it in a cell: cells have no time limit.",
    });
    expect((await body("evaluate", { expression: "6 * 7" }))["result"]).toBe("42");
  });

  test("in the condition of a breakpoint ends with the cell by an interrupt", async () => {
    const { begun } = await prepare();
    const mark = JSON.stringify(join(kernel.folder, "begun"));
    const condition = `(() => { process.getBuiltinModule("node:fs").writeFileSync(${mark}, ""); while (true); })()`;
    await breakAt(loop, { line: 5, condition });
    const running = kernel.execute(loop);
    await begun();
    await interrupt();
    expect((await running).reply).toMatchObject({ status: "error", ename: "AbortError" });
    expect(result(await kernel.execute("keep + 1"))).toBe("42");
  });

  test("in the condition of a breakpoint ends after a time limit, and the cell stops there", async () => {
    const { running } = await stopIn(loop, { line: 5, condition: "(() => { while (true); })()" });
    expect((await places())[0]).toBe("add:5");
    await breakAt(loop);
    expect(await endOf(running)).toBe("6");
  });

  test("in the stack of an error or in a proxy does not run when variables are shown", async () => {
    await kernel.execute(`const spin = () => { while (true); };
class Odd extends Error { override get stack(): string { return spin() as never; } }
const odd = new Odd("odd");
const proxy = new Proxy({}, { get: spin, ownKeys: spin as never, getOwnPropertyDescriptor: spin as never, getPrototypeOf: spin as never });`);
    await attach();
    const { variables } = await body("inspectVariables");
    expect(variables.map((each: Json) => each["name"])).toEqual(expect.arrayContaining(["odd", "proxy"]));
    expect((await body("evaluate", { expression: "odd" }))["result"]).toContain("odd");
  });
});
