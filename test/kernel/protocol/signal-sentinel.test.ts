import { setTimeout as pause } from "node:timers/promises";
import { expect, test } from "vitest";
import { takeSignals } from "../../../src/kernel/cells/cell-thread.js";
import { SignalSentinel } from "../../../src/kernel/protocol/signal-sentinel.js";

const signal = async () => {
  process.kill(process.pid, "SIGINT");
  await pause(30);
};

test.skipIf(process.platform === "win32")(
  "signals reach the sentinel while a cell runs, and the process afterwards",
  async () => {
    let own = 0;
    let heard = 0;
    const count = () => {
      own++;
    };
    process.on("SIGINT", count);
    try {
      let given = () => {};
      const back = new Promise<void>((resolve) => {
        given = resolve;
      });
      const sentinel = new SignalSentinel(
        () => heard++,
        (words) => {
          takeSignals(words);
          given();
        },
        100,
      );
      await signal();
      await expect.poll(() => [own, heard]).toEqual([1, 0]);

      sentinel.watch(true);
      /** Sends signals until one more is heard: several signals can count as one. */
      const hearsOneMore = async () => {
        const before = heard;
        await expect.poll(() => signal().then(() => heard)).toBeGreaterThan(before);
      };
      await hearsOneMore();
      const [before, begun] = [own, heard];
      for (let turn = 1; turn <= 5; turn++) await hearsOneMore();
      expect(own).toBe(before);
      // A burst may count as one signal. No burst ends the process.
      for (let burst = 0; burst < 50 || heard <= begun + 5 + 10; burst++) {
        for (let turn = 0; turn < 20; turn++) process.kill(process.pid, "SIGINT");
        await pause(2);
      }

      sentinel.watch(false);
      await back;
      await signal();
      await expect.poll(() => own).toBe(before + 1);

      sentinel.watch(true);
      sentinel.watch(false);
      await pause(150);
      await signal();
      await expect.poll(() => own).toBe(before + 2);
    } finally {
      process.off("SIGINT", count);
    }
  },
);
