import { expect, test } from "vitest";
import { Interrupter } from "../../../src/kernel/protocol/runner-client.js";

/** A thread that loops until its `deaf`th termination, of which it is the first to tell that it has been done. */
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
  return { interrupter, asked: () => asked, terminations: () => terminations };
}

test("a busy thread is terminated once, and asked until it answers", async () => {
  const { interrupter, asked, terminations } = busyThread(1);
  await interrupter.interrupt();
  expect(terminations()).toBe(1);
  expect(asked()).toBeGreaterThan(1);
  await interrupter.interrupt();
  expect(terminations()).toBe(1);
});

test("a termination of which nothing is heard is asked for again", async () => {
  const { interrupter, terminations } = busyThread(2);
  await interrupter.interrupt();
  expect(terminations()).toBe(2);
});
