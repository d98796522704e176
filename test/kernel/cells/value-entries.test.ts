import { expect, test } from "vitest";
import { entriesOf, sizeOf } from "../../../src/kernel/cells/value-entries.js";

const ran = () => {
  throw new Error("ran");
};
const all = (value: object) => ({ ...entriesOf(value, 0, sizeOf(value)) });

test("gives the elements of lists, maps and sets, and the properties of all else", () => {
  expect(all(["a", "b"])).toEqual({ 0: "a", 1: "b" });
  expect(all(new Float32Array([1, 2]))).toEqual({ 0: 1, 1: 2 });
  expect(all(new Map([["a", 1]]))).toEqual({ 0: { key: "a", value: 1 } });
  expect(all(new Set(["a", "b"]))).toEqual({ 0: "a", 1: "b" });
  const symbol = Symbol("s");
  expect(entriesOf({ a: 1, [symbol]: 2 }, 0, 2)).toEqual(Object.assign(Object.create(null), { a: 1, [symbol]: 2 }));
  expect(Object.getPrototypeOf(entriesOf({}, 0, 0))).toBe(null);
});

test("gives some of them", () => {
  expect({ ...entriesOf([1, 2, 3, 4], 1, 3) }).toEqual({ 1: 2, 2: 3 });
  expect({ ...entriesOf(new Set([1, 2, 3]), 1, 9) }).toEqual({ 1: 2, 2: 3 });
  expect({ ...entriesOf({ a: 1, b: 2, c: 3 }, 2, 3) }).toEqual({ c: 3 });
});

test("runs no getter, no trap and no method of the user's", () => {
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
