import { expect, it } from "vitest";
import { canonicalJson, sameJson } from "../../../src/core/json/json.js";

it("writes equal values alike, whatever the order of their members", () => {
  expect(canonicalJson(JSON.parse('{"b":[1.0,"1"],"a":"\\u00e9"}'))).toBe('{"a":"é","b":[1,"1"]}');
});

it("keeps numbers beyond a double's range apart from null and from each other", () => {
  const read: unknown = JSON.parse("[1e400, -1e400, null]");
  expect(canonicalJson(read)).toBe("[1e999,-1e999,null]");
  expect(JSON.parse(canonicalJson(read))).toEqual([Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, null]);
  expect(sameJson([Number.POSITIVE_INFINITY], [null])).toBe(false);
});
