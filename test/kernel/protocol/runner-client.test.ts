import { once } from "node:events";
import { MessageChannel } from "node:worker_threads";
import { expect, test } from "vitest";
import { Interrupter, RunnerClient } from "../../../src/kernel/protocol/runner-client.js";
import type { FromRunner, ToRunner } from "../../../src/kernel/threads/thread-messages.js";

/** A thread that loops until its `deaf`th termination, the first that it confirms. */
function busyThread(deaf: number) {
  let terminations = 0;
  let asked = 0;
  const interrupter: Interrupter = new Interrupter(
    (attempt) => {
      asked++;
      if (terminations >= deaf) setImmediate(() => interrupter.heard(attempt));
    },
    () => ({
      post: (_, onDone) => {
        if (++terminations === deaf) setImmediate(onDone);
      },
      disconnect: () => undefined,
    }),
  );
  interrupter.ready();
  return { interrupter, asked: () => asked, terminations: () => terminations };
}

test("a busy thread is terminated once, and gets requests until it answers", async () => {
  const { interrupter, asked, terminations } = busyThread(1);
  await interrupter.interrupt();
  expect(terminations()).toBe(1);
  expect(asked()).toBeGreaterThan(1);
  await interrupter.interrupt();
  expect(terminations()).toBe(1);
});

test("an unconfirmed termination is repeated", async () => {
  const { interrupter, terminations } = busyThread(2);
  await interrupter.interrupt();
  expect(terminations()).toBe(2);
});

test("a starting thread gets requests until it answers, and is not terminated", async () => {
  let terminations = 0;
  const interrupter: Interrupter = new Interrupter(
    (attempt) => {
      if (attempt === 4) setImmediate(() => interrupter.heard(attempt));
    },
    () => ({ post: () => terminations++, disconnect: () => undefined }),
  );
  await interrupter.interrupt();
  expect(terminations).toBe(0);
});

test("terminations are confirmed one by one", async () => {
  const dones: (() => void)[] = [];
  let asked = 0;
  const interrupter: Interrupter = new Interrupter(
    (attempt) => {
      asked++;
      if (dones.length === 2) setImmediate(() => interrupter.heard(attempt));
    },
    () => ({
      post: (_, onDone) => {
        dones.push(onDone);
        // The first confirmation is late, after it was considered lost.
        if (dones.length === 2) dones[0]?.();
      },
      disconnect: () => undefined,
    }),
  );
  interrupter.ready();
  let isDone = false;
  const interrupted = interrupter.interrupt().then(() => {
    isDone = true;
  });
  await expect.poll(() => dones.length).toBe(2);
  const before = asked;
  await expect.poll(() => asked).toBeGreaterThan(before + 3);
  expect(isDone).toBe(false);
  dones[1]?.();
  await interrupted;
});

/** A client of a thread that is terminated before each task begins. */
function struckThread() {
  const { port1, port2 } = new MessageChannel();
  const told: unknown[] = [];
  port2.on("message", (message: ToRunner) => {
    if (message.type !== "interrupt") return;
    const answer: FromRunner = { type: "interrupted", attempt: message.attempt };
    port2.postMessage(answer);
  });
  const tell =
    (event: string) =>
    (...values: readonly unknown[]) =>
      told.push([event, ...values]);
  const client = new RunnerClient(port1, {
    output: tell("output"),
    question: tell("question"),
    comm: tell("comm"),
    commTarget: tell("commTarget"),
    unsent: tell("unsent"),
    signal: tell("signal"),
    busy: tell("busy"),
    leaving: tell("leaving"),
  });
  const close = async () => {
    port1.close();
    await once(port2, "close");
  };
  return { client, told, close };
}

test("a cell that is interrupted before it begins ends", async () => {
  const { client, told, close } = struckThread();
  const cell = { name: "Cell", code: "", script: "", sourceMaps: [], linesBefore: 0, names: [], resultName: undefined };
  const ended = client.run(client.nextRun(), cell);
  await client.interrupt();
  expect(await ended).toMatchObject({ status: "error", error: { ename: "AbortError" }, hasRun: false });
  expect(told).toEqual([
    ["busy", true],
    ["busy", false],
  ]);
  await close();
});

test("a comm's message that is interrupted before it begins ends with an error output", async () => {
  const { client, told, close } = struckThread();
  const run = client.nextRun();
  const event = { type: "comm_msg", comm_id: "1", data: {}, metadata: {}, buffers: [] } as const;
  const handled = client.comm(run, event);
  await client.settled;
  await client.interrupt();
  await handled;
  expect(told).toEqual([
    ["busy", true],
    ["output", run, { type: "stream", name: "stderr", text: expect.stringContaining("AbortError") }],
    ["busy", false],
  ]);
  await close();
});

test("interrupted loading of modules ends", async () => {
  const { client, close } = struckThread();
  const loading = client.load(["arquero"]);
  await client.settled;
  await client.interrupt();
  await loading;
  await close();
});

test("modules are loaded once", async () => {
  const { port1, port2 } = new MessageChannel();
  const asked: (readonly string[])[] = [];
  port2.on("message", (message: ToRunner) => {
    if (message.type !== "load") return;
    asked.push(message.modules);
    const answer: FromRunner = { type: "loaded", load: message.load };
    port2.postMessage(answer);
  });
  const nothing = () => undefined;
  const client = new RunnerClient(port1, {
    ...{ output: nothing, question: nothing, comm: nothing, commTarget: nothing },
    ...{ unsent: nothing, busy: nothing, signal: nothing, leaving: nothing },
  });
  await client.load(["arquero"]);
  await client.load(["arquero", "siteframe"]);
  await client.load([]);
  expect(asked).toEqual([["arquero"], ["siteframe"]]);
  port1.close();
  await once(port2, "close");
});
