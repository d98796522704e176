import { expect, test } from "vitest";
import { collectGarbage } from "../../../src/kernel/cells/collect-garbage.js";

test("collects what nothing holds, and leaves no function behind", () => {
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
