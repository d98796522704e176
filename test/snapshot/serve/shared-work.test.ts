import { describe, expect, it } from "vitest";
import { WeightedCache } from "../../../src/snapshot/serve/weighted-cache.js";

/** A computation that ends when it is told to, or is stopped. */
function slowWork() {
  const calls: { readonly signal: AbortSignal; readonly end: () => void }[] = [];
  const compute = (signal: AbortSignal) =>
    new Promise<Uint8Array>((resolve, reject) => {
      calls.push({ signal, end: () => resolve(new Uint8Array(calls.length)) });
      signal.addEventListener("abort", () => reject(signal.reason));
    });
  return { calls, compute };
}

describe("work for several", () => {
  it("goes on while one of them wants it", async () => {
    const cache = new WeightedCache<Uint8Array>(10_000);
    const { calls, compute } = slowWork();
    const [first, second] = [new AbortController(), new AbortController()];
    const asked = [cache.get("a", compute, first.signal), cache.get("a", compute, second.signal)];
    first.abort();
    expect(calls[0]?.signal.aborted).toBe(false);
    calls[0]?.end();
    await Promise.all(asked);
    second.abort();
    expect(await cache.get("a", compute)).toHaveLength(1);
    expect(calls).toHaveLength(1);
  });

  it("goes on for one who cannot leave", async () => {
    const cache = new WeightedCache<Uint8Array>(10_000);
    const { calls, compute } = slowWork();
    const leaving = new AbortController();
    const asked = [cache.get("a", compute), cache.get("a", compute, leaving.signal)];
    leaving.abort();
    calls[0]?.end();
    await Promise.all(asked);
    expect(calls).toHaveLength(1);
  });

  it("is stopped when all have left, and begun anew for who asks then", async () => {
    const cache = new WeightedCache<Uint8Array>(10_000);
    const { calls, compute } = slowWork();
    const controllers = [1, 2, 3].map(() => new AbortController());
    const asked = controllers.map(({ signal }) => cache.get("a", compute, signal));
    for (const controller of controllers) controller.abort(new Error("left"));
    const again = cache.get("a", compute);
    const left = { status: "rejected", reason: new Error("left") };
    expect(await Promise.allSettled(asked)).toEqual([left, left, left]);
    expect(calls.map(({ signal }) => signal.aborted)).toEqual([true, false]);
    calls[1]?.end();
    expect(await again).toHaveLength(2);
    expect(await cache.get("a", compute)).toHaveLength(2);
    expect(calls).toHaveLength(2);
  });

  it("is not begun for one who has left", async () => {
    const cache = new WeightedCache<Uint8Array>(10_000);
    const { calls, compute } = slowWork();
    await expect(cache.get("a", compute, AbortSignal.abort(new Error("left")))).rejects.toThrow("left");
    expect(calls).toHaveLength(0);
  });
});
