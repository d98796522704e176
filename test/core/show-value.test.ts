import { table } from "arquero";
import { describe, expect, test } from "vitest";
import { showValue } from "../../src/core/show-value.js";

class Route {
  readonly user = "Ada";
}

describe("a value in an error message", () => {
  test.each([
    ["a text", '"a text"'],
    [undefined, "undefined"],
    [12n, "12"],
    [Number.NaN, "NaN"],
    [() => 1, "a function"],
    [new Date(Number.NaN), "an invalid Date"],
    [new Date(0), "1970-01-01T00:00:00.000Z"],
    [{ a: [1, { b: null }] }, '{"a":[1,{"b":null}]}'],
    [Object.assign(Object.create(null), { a: 1 }), '{"a":1}'],
    [new URL("https://acme.test/x"), '"https://acme.test/x"'],
  ])("is the literal of a plain value: %#", (value, shown) => {
    expect(showValue(value)).toBe(shown);
  });

  test.each([
    [Promise.resolve(1), "a Promise"],
    [[Promise.resolve(1), new Date(0)], "an array of 2 values"],
    [{ data: table({ user: ["Ada"] }) }, '{"data":"a ColumnTable"}'],
    [new Uint8Array(3), "a Uint8Array"],
    [new Map([["a", 1]]), "a Map"],
    [new TypeError("no"), "a TypeError"],
    [new Error("no"), "an Error"],
    [new Float64Array(3), "a Float64Array"],
    [table({ user: ["Ada"] }), "a ColumnTable"],
    [new Route(), "a Route"],
    [new (class {})(), "a class without a name"],
  ])("is the class of an object with hidden parts: %#", (value, shown) => {
    expect(showValue(value)).toBe(shown);
  });

  test("is short for every value", () => {
    expect(showValue("x".repeat(100))).toHaveLength(80);
    const cyclic: Record<string, unknown> = {};
    cyclic["self"] = cyclic;
    expect(showValue(cyclic)).toBe("[object Object]");
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    expect(showValue(proxy)).toBe("an object that cannot be read");
  });
});
