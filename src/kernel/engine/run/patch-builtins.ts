import { EventEmitter } from "node:events";
import { setImmediate as turn } from "node:timers";
import { firstOf } from "../../../core/counted.js";
import { SiteframeError } from "../../../core/errors.js";

/** Saved before the first cell: the checks below use nothing that a cell could have replaced. */
const { apply, getOwnPropertyDescriptor, defineProperty, deleteProperty, ownKeys, getPrototypeOf } = Reflect;
const NativePromise = Promise;
const { then } = Promise.prototype;
const top = Object.prototype;

interface Builtin {
  readonly owner: object;
  readonly name: string;
  readonly key: PropertyKey;
  /** Undefined if the owner inherits the property. */
  was: PropertyDescriptor | undefined;
}

const globals = [
  ...["Array", "Boolean", "Buffer", "Date", "Error", "Function", "JSON", "Map", "Math", "Number", "Object", "Promise"],
  ...[
    "Proxy",
    "Reflect",
    "RegExp",
    "Set",
    "String",
    "Symbol",
    "TypeError",
    "Uint8Array",
    "WeakMap",
    "WeakSet",
    "WeakRef",
  ],
  ...["clearTimeout", "process", "queueMicrotask", "setImmediate", "setTimeout"],
];
/** Properties that a cell may legitimately set. */
const free = ["prepareStackTrace", "stackTraceLimit"];

let builtins: Builtin[] | undefined;
let ofAll = 0;

/** Records the built-ins of the language and of Node before the first cell runs. */
export function recordBuiltins(): void {
  if (builtins) return;
  builtins = findBuiltins();
  ofAll = ownKeys(top).length;
}

function findBuiltins(): Builtin[] {
  const owners: readonly (readonly [string, object, (readonly PropertyKey[])?])[] = [
    ["globalThis", globalThis, globals],
    ["JSON", JSON],
    ["Reflect", Reflect],
    ...[Object, Function, Array, String, RegExp, Promise, Map, Set, WeakMap, Error, Symbol].flatMap((type) => [
      [type.name, type] as const,
      [`${type.name}.prototype`, type.prototype as object] as const,
    ]),
    ["Array iterators", getPrototypeOf([].values()) as object],
    ["Map iterators", getPrototypeOf(new Map().values()) as object],
    ["Set iterators", getPrototypeOf(new Set().values()) as object],
    ["string iterators", getPrototypeOf(""[Symbol.iterator]()) as object],
    ["Buffer", Buffer, ["from", "concat", "alloc", "byteLength"]],
    ["EventEmitter.prototype", EventEmitter.prototype, ["on", "once", "off", "emit", "addListener", "removeListener"]],
    ["process", process, ["on", "once", "off", "emit", "nextTick"]],
  ];
  return owners.flatMap(([name, owner, keys = ownKeys(owner)]) =>
    keys.flatMap((key) => {
      if (free.includes(String(key))) return [];
      const was = partOf(owner, key);
      return [{ owner, key, name: name === "globalThis" ? String(key) : `${name}.${String(key)}`, was }];
    }),
  );
}

/** Some globals are accessors that return another value after they are set; their value is compared. */
function partOf(owner: object, key: PropertyKey): PropertyDescriptor | undefined {
  const descriptor = getOwnPropertyDescriptor(owner, key);
  if (owner !== globalThis || !descriptor?.get) return descriptor;
  return { value: apply(descriptor.get, owner, []), configurable: true, enumerable: false, writable: true };
}

/**
 * Finds built-ins of the language and of Node that a cell has replaced. Working replacements stay, since a library may
 * need them. Broken ones are restored: otherwise no output could be sent and no other cell could run.
 *
 * @throws SiteframeError listing the restored built-ins
 */
export async function patchBuiltins(): Promise<void> {
  const list = builtins;
  if (!list) return;
  const changed: Builtin[] = [];
  let count = 0;
  for (let at = 0; at < list.length; at += 1) {
    const one = list[at] as Builtin;
    const is = partOf(one.owner, one.key);
    if (is?.value === one.was?.value && is?.get === one.was?.get && is?.set === one.was?.set) continue;
    defineProperty(changed, count, { value: one, configurable: true, enumerable: true, writable: true });
    count += 1;
  }
  const added = ownKeys(top).length - ofAll;
  if (count === 0 && added === 0) return;
  if (isSound() && (await isSoundLater())) {
    for (let at = 0; at < count; at += 1) {
      const one = changed[at] as Builtin;
      one.was = partOf(one.owner, one.key);
    }
    ofAll += added;
    return;
  }
  for (let at = 0; at < count; at += 1) {
    const { owner, key, was } = changed[at] as Builtin;
    if (was) defineProperty(owner, key, was);
    else deleteProperty(owner, key);
  }
  const keys = ownKeys(top);
  for (let at = ofAll; at < keys.length; at += 1) deleteProperty(top, keys[at] as PropertyKey);
  // From here on, all built-ins are restored.
  const names = changed.map(({ name }) => name);
  if (added > 0) names.push("Object.prototype");
  throw replacedError(names);
}

const MOST_NAMED = 5;

function replacedError(names: readonly string[]): SiteframeError {
  const [builtIns, them] = names.length === 1 ? ["a built-in", "it"] : ["built-ins", "them"];
  return new SiteframeError(
    "ERR_BUILTIN",
    `This cell broke ${builtIns}: ${firstOf(names, MOST_NAMED)}. Siteframe restored ${them}.`,
    { hint: "Restore built-ins at the end of the cell, or change a copy.", facts: { names } },
  );
}

/** Whether the built-ins that cells need work, as far as a synchronous check can detect. */
function isSound(): boolean {
  try {
    const list = [3, 1, 2];
    const added = list.slice();
    added.push(4);
    let sum = 0;
    for (const one of added) sum += one;
    const [first, ...rest] = list;
    const map = new Map([["a", 1]]);
    const set = new Set(list);
    const weak = new WeakMap([[list, 7]]);
    const timer = setTimeout(() => undefined, 1);
    timer.unref();
    clearTimeout(timer);
    let heard = 0;
    new EventEmitter().once("x", () => (heard += 1)).emit("x");
    process.once("siteframe:probe" as "exit", () => (heard += 1));
    process.emit("siteframe:probe" as never);
    const error = new TypeError("m");
    return [
      ...[sum === 10, first === 3, rest.length === 2, added.length === 4, heard === 2],
      JSON.stringify({ a: [1, "x", null], b: { c: true } }) === '{"a":[1,"x",null],"b":{"c":true}}',
      (JSON.parse('{"a":[1]}') as { a: number[] }).a[0] === 1,
      list.map((one) => 2 * one).join() === "6,2,4",
      list.filter((one) => one > 1).length === 2 && list.some((one) => one === 2) && list.every((one) => one > 0),
      list.flatMap((one) => [one, one]).length === 6 && list.at(-1) === 2 && list.includes(1) && list.indexOf(2) === 2,
      list.find((one) => one < 2) === 1 && list.findLast((one) => one < 3) === 2 && list.concat(list).length === 6,
      Array.from(set).length === 3 && Array.isArray(list) && list.entries().next().value?.[1] === 3,
      map.get("a") === 1 && map.has("a") && map.size === 1 && map.set("b", 2).size === 2 && map.delete("b"),
      [...map.keys()].length === 1 && [...map.values()].length === 1 && set.has(2) && set.add(9).size === 4,
      weak.get(list) === 7 && weak.has(list),
      Object.keys({ a: 1 }).length === 1 && Object.entries({ a: 1 })[0]?.[1] === 1 && Object.values({ a: 1 })[0] === 1,
      Object.assign({}, { a: 1 }).a === 1 && Object.fromEntries([["a", 1]])["a"] === 1 && Object.hasOwn({ a: 1 }, "a"),
      Object.getPrototypeOf(list) === getPrototypeOf(list) && (Object.create({ a: 1 }) as { a: number }).a === 1,
      Object.getOwnPropertyDescriptor({ a: 1 }, "a")?.value === 1 && Object.getOwnPropertyNames({ a: 1 }).length === 1,
      Object.defineProperty({ a: 0 }, "a", { value: 1 }).a === 1 && Reflect.get({ a: 1 }, "a") === 1,
      ((a: number) => a + 1).call(undefined, 1) === 2 && Math.max.apply(undefined, list) === 3,
      ((a: number) => a + 1).bind(undefined, 1)() === 2,
      "a-b".split("-").length === 2 && "aXb".replace(/x/i, "y") === "ayb" && "aa".replaceAll("a", "b") === "bb",
      /b(c)/.exec("abc")?.[1] === "c" && /a/.test("a") && !/a/.test("b") && "abc".match(/c/)?.index === 2,
      " a ".trim() === "a" &&
        "abc".slice(1) === "bc" &&
        "abc".startsWith("a") &&
        "abc".endsWith("c") &&
        "a".repeat(2) === "aa",
      "abc".includes("b") && "abc".indexOf("c") === 2 && [..."a€"].length === 2 && "a".charCodeAt(0) === 97,
      error instanceof Error && error.message === "m" && String(error) === "TypeError: m" && Number("7") === 7,
      Buffer.from("ä").length === 2 &&
        Buffer.concat([Buffer.from("a")]).toString() === "a" &&
        new Uint8Array(2).length === 2,
      new Proxy({ a: 1 }, {}).a === 1 &&
        typeof Symbol("a") === "symbol" &&
        new Promise(() => undefined) instanceof Promise,
    ].every((is) => is === true);
  } catch {
    return false;
  }
}

const PROBES = 8;

/** Whether asynchronous built-ins work. */
async function isSoundLater(): Promise<boolean> {
  let came = 0;
  const come = () => {
    came += 1;
  };
  try {
    process.nextTick(come);
    queueMicrotask(come);
    setImmediate(come);
    void Promise.resolve(1).then((value) => value === 1 && come());
    void Promise.all([1, Promise.resolve(2)]).then(([a, b]) => a + b === 3 && come());
    void Promise.race([Promise.resolve(1)]).then(come);
    const rejected = Promise.reject(new Error("probe"));
    // If its `catch` does nothing, no unhandled rejection must be reported.
    void apply(then, rejected, [undefined, () => undefined]);
    rejected.catch(come);
    void new Promise((resolve) => resolve(1)).finally(come);
  } catch {
    return false;
  }
  for (let turns = 0; turns < 3 && came < PROBES; turns += 1) {
    await new NativePromise<void>((done) => {
      turn(done);
    });
  }
  return came === PROBES;
}
