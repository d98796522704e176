import { EventEmitter, once } from "node:events";
import { expect, test } from "vitest";
import { CellThread } from "../../../src/kernel/cells/cell-thread.js";
import type { CompiledCell } from "../../../src/kernel/engine/cell/language-engine.js";
import { OutputBrake } from "../../../src/kernel/threads/output-brake.js";
import type { FromRunner, ToRunner } from "../../../src/kernel/threads/thread-messages.js";

/** The other end of the line. Each type of message in `struck` is lost once, as by a termination that strikes late. */
class SocketEnd extends EventEmitter {
  readonly told: FromRunner[] = [];
  readonly struck = new Set<FromRunner["type"]>();

  postMessage(message: FromRunner): void {
    if (this.struck.delete(message.type)) throw new Error("terminated");
    this.told.push(message);
    this.emit("told", message);
  }

  send(message: ToRunner): void {
    try {
      this.emit("message", message);
    } catch {
      // What was terminated ends where it was.
    }
  }

  async until(type: FromRunner["type"]): Promise<void> {
    while (!this.told.some((message) => message.type === type)) await once(this, "told");
  }
}

const cell = (name: string, body: string): CompiledCell => ({
  ...{ name, code: body, sourceMaps: [], linesBefore: 0, names: [], resultName: undefined },
  script: `(async () => { ${body} })`,
});

const line = new SocketEnd();
const modules = {
  findModule: () => undefined,
  compileModule: () => ({ status: "error", message: "there is none" }) as const,
};
new CellThread({
  directory: import.meta.dirname,
  socketThread: line,
  brake: new OutputBrake(OutputBrake.memory()),
  modules,
}).listen([]);

test("the end of a cell is told again, if an interrupt struck while it was told", () => {
  line.told.length = 0;
  line.send({ type: "run", run: 7, cell: cell("Cell 7", "await new Promise(() => {});") });
  line.struck.add("outcome");
  line.send({ type: "interrupt", attempt: 1 });
  expect(line.told).toEqual([]);
  line.send({ type: "interrupt", attempt: 2 });
  expect(line.told).toMatchObject([
    { type: "outcome", run: 7, outcome: { status: "error", error: { ename: "AbortError" } } },
    { type: "interrupted", attempt: 2 },
  ]);
  line.send({ type: "interrupt", attempt: 3 });
  expect(line.told.slice(2)).toEqual([{ type: "interrupted", attempt: 3 }]);
});

test("so is the end of a comm's message", async () => {
  line.told.length = 0;
  const opens = "comms.register('endless', () => new Promise(() => {}));";
  line.send({ type: "run", run: 8, cell: cell("Cell 8", opens) });
  await line.until("outcome");
  line.told.length = 0;
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
  const ends = line.told.filter(({ type }) => type !== "output");
  expect(ends).toEqual([
    { type: "commHandled", run: 9 },
    { type: "interrupted", attempt: 5 },
  ]);
});
