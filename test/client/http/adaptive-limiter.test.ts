import { getEventListeners } from "node:events";
import { describe, expect, it } from "vitest";
import { AdaptiveLimiter } from "../../../src/client/http/adaptive-limiter.js";

const signal = new AbortController().signal;
const take = (limiter: AdaptiveLimiter, count: number, most = 8) =>
  Promise.all(Array.from({ length: count }, () => limiter.acquire(most, signal)));

describe("AdaptiveLimiter", () => {
  it("halves once for all concurrent requests", async () => {
    const limiter = new AdaptiveLimiter();
    const slots = await take(limiter, 8);
    for (const slot of slots) slot.release("throttled");
    expect(limiter.window).toBe(4);
    for (const slot of await take(limiter, 4)) slot.release("throttled");
    expect(limiter.window).toBe(2);
  });

  it("always allows one request", async () => {
    const limiter = new AdaptiveLimiter();
    for (let round = 0; round < 5; round += 1) for (const slot of await take(limiter, 1)) slot.release("throttled");
    expect(limiter.window).toBe(1);
  });

  it("grows by one for each window of successes", async () => {
    const limiter = new AdaptiveLimiter();
    for (const slot of await take(limiter, 8)) slot.release("throttled");
    for (const slot of await take(limiter, 4)) slot.release("ok");
    expect(limiter.window).toBeCloseTo(4.9, 1);
  });

  it("serves in order and drops aborted requests", async () => {
    const limiter = new AdaptiveLimiter();
    const [slot] = await take(limiter, 1, 1);
    const controller = new AbortController();
    const left = limiter.acquire(1, controller.signal);
    const next = limiter.acquire(1, signal);
    controller.abort(new Error("gone"));
    await expect(left).rejects.toThrow("gone");
    slot?.release("failed");
    slot?.release("failed");
    await expect(next).resolves.toBeDefined();
  });

  it("adds one listener for each signal, and removes it after the last request", async () => {
    const limiter = new AdaptiveLimiter();
    const [slot] = await take(limiter, 1, 1);
    const [stopped, served] = [new AbortController(), new AbortController()];
    const listeners = () => [stopped, served].map((each) => getEventListeners(each.signal, "abort").length);
    const waiting = (count: number, { signal: by }: AbortController) =>
      Array.from({ length: count }, () => limiter.acquire(1, by));
    const left = waiting(50, stopped);
    const next = waiting(2, served);
    expect(listeners()).toEqual([1, 1]);
    stopped.abort(new Error("gone"));
    expect((await Promise.allSettled(left)).every(({ status }) => status === "rejected")).toBe(true);
    slot?.release("ok");
    for (const each of next) (await each).release("ok");
    expect(listeners()).toEqual([0, 0]);
  });
});
