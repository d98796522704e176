import { expect, test } from "vitest";
import { sharedJson } from "../../../src/tables/read/change-decoder.js";

test("returns the same value for the same JSON", () => {
  const read = sharedJson();
  const first = read('[{"a":[1]}]');
  expect(first).toEqual([{ a: [1] }]);
  expect(read('[{"a":[1]}]')).toBe(first);
  expect(read('[{"a": [1]}]')).toEqual(first);
  expect(read('[{"a": [1]}]')).not.toBe(first);
});

test("does not remember JSON that rarely repeats", () => {
  const read = sharedJson();
  const texts = Array.from({ length: 5000 }, (_, n) => `[${n}]`);
  const [first] = texts.map(read);
  expect(texts.map(read)).toEqual(texts.map((text) => JSON.parse(text)));
  expect(read("[0]")).toEqual(first);
  expect(read("[0]")).not.toBe(first);
});

test("remembers JSON that often repeats, among many other values", () => {
  const read = sharedJson();
  const texts = Array.from({ length: 4000 }, (_, n) => `[${n}]`);
  const [first] = texts.map(read);
  for (const text of [...texts, ...texts]) read(text);
  const others = Array.from({ length: 120_000 }, (_, n) => `{"n":${n}}`);
  expect(others.map(read)).toEqual(others.map((text) => JSON.parse(text)));
  expect(read("[0]")).toBe(first);
});
