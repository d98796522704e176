import { EventEmitter, once } from "node:events";
import { expect, test } from "vitest";
import { CellThread, collectGarbage, entriesOf, sizeOf } from "../../../src/kernel/cells/cell-thread.js";
import type { CompiledCell } from "../../../src/kernel/engine/cell/language-engine.js";
import { OutputThrottle } from "../../../src/kernel/threads/shared-memory.js";
import type { FromRunner, ToRunner } from "../../../src/kernel/threads/thread-messages.js";

/** The socket thread. The first message of each type in `struck` is lost, as by a late termination. */
class SocketEnd extends EventEmitter {
  readonly received: FromRunner[] = [];
  readonly struck = new Set<FromRunner["type"]>();

  postMessage(message: FromRunner): void {
    if (this.struck.delete(message.type)) throw new Error("terminated");
    this.received.push(message);
    this.emit("received", message);
  }

  send(message: ToRunner): void {
    try {
      this.emit("message", message);
    } catch {
      // A terminated handler ends.
    }
  }

  async until(type: FromRunner["type"]): Promise<void> {
    while (!this.received.some((message) => message.type === type)) await once(this, "received");
  }
}

const cell = (name: string, body: string): CompiledCell => ({
  ...{ name, code: body, sourceMaps: [], linesBefore: 0, names: [], resultName: undefined },
  script: `(async () => { ${body} })`,
});

const line = new SocketEnd();
const modules = {
  findModule: () => undefined,
  compileModule: () => ({ status: "error", message: "missing module" }) as const,
};
new CellThread({
  directory: import.meta.dirname,
  socketThread: line,
  throttle: new OutputThrottle(OutputThrottle.memory()),
  modules,
}).listen([]);

test("the end of a cell is sent again if an interrupt came while it was sent", () => {
  line.received.length = 0;
  line.send({ type: "run", run: 7, cell: cell("Cell 7", "await new Promise(() => {});") });
  line.struck.add("outcome");
  line.send({ type: "interrupt", attempt: 1 });
  expect(line.received).toEqual([]);
  line.send({ type: "interrupt", attempt: 2 });
  expect(line.received).toMatchObject([
    { type: "outcome", run: 7, outcome: { status: "error", error: { ename: "AbortError" } } },
    { type: "interrupted", attempt: 2 },
  ]);
  line.send({ type: "interrupt", attempt: 3 });
  expect(line.received.slice(2)).toEqual([{ type: "interrupted", attempt: 3 }]);
});

test("the end of a comm's message is sent again too", async () => {
  line.received.length = 0;
  const opens = "comms.register('endless', () => new Promise(() => {}));";
  line.send({ type: "run", run: 8, cell: cell("Cell 8", opens) });
  await line.until("outcome");
  line.received.length = 0;
  const event = {
    type: "comm_open",
    comm_id: "1",
    target_name: "endless",
    data: {},
    metadata: {},
    buffers: [],
  } as const;
  line.send({ type: "comm", run: 9, event });
  line.struck.add("commHandled");
  line.send({ type: "interrupt", attempt: 4 });
  line.send({ type: "interrupt", attempt: 5 });
  const ends = line.received.filter(({ type }) => type !== "output");
  expect(ends).toEqual([
    { type: "commHandled", run: 9 },
    { type: "interrupted", attempt: 5 },
  ]);
});

test("garbage is collected, and `gc` stays undefined", () => {
  const gone = new WeakRef(hold());
  const kept = { held: new Uint8Array(1000) };
  const before = Object.getOwnPropertyDescriptor(globalThis, "gc");
  return new Promise<void>((resolve) => setImmediate(resolve)).then(() => {
    collectGarbage();
    expect(gone.deref()).toBeUndefined();
    expect(kept.held).toHaveLength(1000);
    expect(Object.getOwnPropertyDescriptor(globalThis, "gc")).toEqual(before);
  });
});

function hold(): object {
  return { held: new Array(1000).fill("x") };
}

const ran = () => {
  throw new Error("ran");
};
const all = (value: object) => ({ ...entriesOf(value, 0, sizeOf(value)) });

test("entries are the elements of lists, maps and sets, and the properties of other values", () => {
  expect(all(["a", "b"])).toEqual({ 0: "a", 1: "b" });
  expect(all(new Float32Array([1, 2]))).toEqual({ 0: 1, 1: 2 });
  expect(all(new Map([["a", 1]]))).toEqual({ 0: { key: "a", value: 1 } });
  expect(all(new Set(["a", "b"]))).toEqual({ 0: "a", 1: "b" });
  const symbol = Symbol("s");
  expect(entriesOf({ a: 1, [symbol]: 2 }, 0, 2)).toEqual(Object.assign(Object.create(null), { a: 1, [symbol]: 2 }));
  expect(Object.getPrototypeOf(entriesOf({}, 0, 0))).toBe(null);
});

test("entries can be read in parts", () => {
  expect({ ...entriesOf([1, 2, 3, 4], 1, 3) }).toEqual({ 1: 2, 2: 3 });
  expect({ ...entriesOf(new Set([1, 2, 3]), 1, 9) }).toEqual({ 1: 2, 2: 3 });
  expect({ ...entriesOf({ a: 1, b: 2, c: 3 }, 2, 3) }).toEqual({ c: 3 });
});

test("entries run no getter, no trap and no method of the user", () => {
  const proxy = new Proxy({}, { ownKeys: ran, getOwnPropertyDescriptor: ran, get: ran });
  expect([sizeOf(proxy), all(proxy)]).toEqual([0, {}]);
  const odd = {
    get a() {
      return ran();
    },
  };
  expect(Object.getOwnPropertyDescriptor(entriesOf(odd, 0, 1), "a")).toMatchObject({ get: expect.any(Function) });
  const map = Object.assign(new Map([[1, 2]]), { entries: ran, [Symbol.iterator]: ran });
  Object.defineProperty(map, "size", { get: ran });
  const typed = Object.defineProperty(new Uint8Array(2), "length", { get: ran });
  expect([sizeOf(map), sizeOf(typed)]).toEqual([1, 2]);
  expect(all(map)).toEqual({ 0: { key: 1, value: 2 } });
});
