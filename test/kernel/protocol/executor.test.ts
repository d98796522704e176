import { setTimeout as delay, setImmediate as nextTurn } from "node:timers/promises";
import { afterEach, expect, test, vi } from "vitest";
import type { Outcome } from "../../../src/kernel/engine/cell/language-engine.js";
import { Executor } from "../../../src/kernel/protocol/executor.js";
import { HistoryStore } from "../../../src/kernel/protocol/history-store.js";
import { Publisher } from "../../../src/kernel/protocol/publisher.js";
import { Runs } from "../../../src/kernel/protocol/runs.js";
import { type Content, type Message, MessageFactory } from "../../../src/kernel/wire/message.js";

const cell = { name: "Cell", code: "", script: "", sourceMaps: [], linesBefore: 0, names: [], resultName: undefined };

const failure = { ename: "Error", evalue: "failed", traceback: [] };

/**
 * An executor whose cells all end with `result`, except `fail`, and whose sockets refuse messages that contain `refused`.
 *
 * @param settled see `RunnerClient`
 */
function start(refused: string, settled = Promise.resolve()) {
  let [lag, offset] = [0, 0];
  // The clock of the client, which may be another.
  const messages = new MessageFactory(() => new Date(Date.now() + offset - lag));
  const sent: { readonly type: string; readonly content: Content }[] = [];
  const send = (type: string, content: Content) => {
    if (JSON.stringify(content).includes(refused)) throw new RangeError("Invalid string length");
    sent.push({ type, content });
  };
  const replies = new Map<string, (content: Content) => void>();
  let runs = 0;
  const ended: Outcome = { status: "ok", result: { "text/plain": "result" } };
  const ends: Readonly<Record<string, Outcome>> = {
    throws: { status: "error", error: failure },
    unrun: { status: "error", error: failure, hasRun: false },
  };
  const retracted: string[] = [];
  const publisher = new Publisher({ broadcast: ({ header, content }) => send(header.msg_type, content) }, messages);
  const executor: Executor = new Executor({
    compiler: {
      compile: async (code) =>
        code === "fail" ? { status: "error", error: failure } : { status: "ok", cell: { ...cell, code } },
      retract: async (name) => {
        retracted.push(name);
      },
      warnings: async () => [],
    },
    runner: {
      ...{ nextRun: () => ++runs, settled, load: async () => undefined },
      ...{ run: async (_, { code }) => ends[code] ?? ended, interrupt: async () => undefined },
    },
    prepare: async () => undefined,
    publisher,
    runs: new Runs(publisher),
    history: new HistoryStore(undefined),
    reply: ({ header }: Message, content: Content) => {
      send("execute_reply", content);
      replies.get(header.msg_id)?.(content);
    },
  });
  const execute = async (
    question: Content,
    came: { lag?: number; offset?: number; cellId?: string } = {},
  ): Promise<Content | undefined> => {
    const { cellId } = came;
    ({ lag = 0, offset = 0 } = came);
    const request = messages.create("execute_request", question, { metadata: cellId ? { cellId } : {} });
    const replied = new Promise<Content>((done) => replies.set(request.header.msg_id, done));
    executor.add(request);
    const reply = await replied;
    // Requests that a client sends after the reply arrive in a later turn.
    await nextTurn();
    return reply;
  };
  return { executor, execute, sent, retracted };
}

afterEach(() => {
  vi.useRealTimers();
});

test("a cell whose result cannot be sent fails", async () => {
  const { execute, sent } = start("result");
  const evalue = "An output of the cell cannot be sent: Invalid string length";
  expect(await execute({ code: "1" })).toMatchObject({ status: "error", ename: "OutputError", evalue });
  expect(sent.map(({ type }) => type)).toContain("error");
});

test("a cell whose reply cannot be sent gets an error as reply, and the next cell runs", async () => {
  const { execute } = start("user value");
  const failed = await execute({ code: "1", user_expressions: { "user value": "1" } });
  expect(failed).toMatchObject({ status: "error", ename: "OutputError" });
  expect(await execute({ code: "2" })).toMatchObject({ status: "ok" });
});

test("a cell that is interrupted before an earlier interrupt has ended does not begin", async () => {
  let settle = () => {};
  const { executor, execute } = start("nothing", new Promise((done) => (settle = done)));
  const executed = execute({ code: "while (true) {}" });
  await nextTurn();
  await executor.interrupt();
  settle();
  expect(await executed).toMatchObject({ status: "error", ename: "AbortError" });
});

test.each([
  ["was interrupted before it began", "ok", true],
  ["ended before its first statement", "unrun", false],
] as const)("a cell that was compiled and %s is retracted", async (_, code, isInterrupted) => {
  let settle = () => {};
  const { executor, execute, retracted } = start("nothing", new Promise((done) => (settle = done)));
  const executed = execute({ code });
  await nextTurn();
  if (isInterrupted) await executor.interrupt();
  settle();
  expect(await executed).toMatchObject({ status: "error" });
  expect(retracted).toEqual(["Cell"]);
});

test("a cell that fails at run time is not retracted", async () => {
  const { execute, retracted } = start("nothing");
  expect(await execute({ code: "throws" })).toMatchObject({ status: "error" });
  expect(retracted).toEqual([]);
});

test.each([0, 3_600_000, -3_600_000])(
  "a cell that was sent before one failed and comes later is aborted, with a clock %i ms ahead",
  async (offset) => {
    const { execute } = start("nothing");
    const at = { offset };
    expect(await execute({ code: "1" }, at)).toMatchObject({ status: "ok" });
    await delay(20);
    expect(await execute({ code: "fail" }, at)).toMatchObject({ status: "error" });
    expect(await execute({ code: "2" }, { offset, lag: 5000 })).toEqual({ status: "aborted" });
    // Sent after the failure: the user has seen it.
    await delay(20);
    expect(await execute({ code: "3" }, at)).toMatchObject({ status: "ok" });
  },
);

test("a cell of a batch that a page sends after a failure is aborted, and later cells run", async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: 1_700_000_000_000 });
  const { execute } = start("nothing");
  const run = async (code: string) => (await execute({ code }, { cellId: code }))?.["status"];
  expect(await Promise.all([run("1"), run("fail"), run("2")])).toEqual(["ok", "error", "aborted"]);
  vi.advanceTimersByTime(200);
  expect(await run("3")).toBe("aborted");
  vi.advanceTimersByTime(200);
  expect(await run("4")).toBe("aborted");
  vi.advanceTimersByTime(300);
  expect(await run("5")).toBe("ok");
  expect(await run("fail")).toBe("error");
  expect(await run("6")).toBe("ok");
});

test("a cell that a program sends right after the reply of a failed one runs", async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: 1_700_000_000_000 });
  const { execute } = start("nothing");
  const run = async (code: string) => (await execute({ code }))?.["status"];
  expect(await Promise.all([run("1"), run("fail"), run("2")])).toEqual(["ok", "error", "aborted"]);
  expect(await run("3")).toBe("ok");
});

test("cells run after a failure with stop_on_error false, and cells of a new client", async () => {
  const { execute } = start("nothing");
  await execute({ code: "1" });
  expect(await execute({ code: "fail", stop_on_error: false })).toMatchObject({ status: "error" });
  expect(await execute({ code: "2" }, { lag: 400 })).toMatchObject({ status: "ok" });
  const other = start("nothing");
  expect(await other.execute({ code: "fail" }, { lag: 500 })).toMatchObject({ status: "error" });
  expect(await other.execute({ code: "2" }, { lag: 400 })).toMatchObject({ status: "ok" });
});
