import { describe, expect, it } from "vitest";
import { ArgumentError } from "../../src/core/errors.js";
import {
  anything,
  checkOptions,
  flag,
  integerFrom,
  list,
  numberFrom,
  type OptionRule,
  type OptionRules,
  objectOf,
  oneOf,
  required,
  requireOptions,
  text,
  texts,
} from "../../src/core/options.js";

interface Options {
  readonly columns?: readonly string[];
  readonly unknown?: "null" | "backfill";
  readonly strict?: boolean;
  readonly size?: number;
  readonly apiKey?: string;
  readonly order?: readonly unknown[];
  readonly free?: unknown;
}

const rules: OptionRules<Options> = {
  columns: texts,
  unknown: oneOf("null", "backfill"),
  strict: flag,
  size: integerFrom(1),
  apiKey: text,
  order: list,
  free: anything,
};

function refusal(given: unknown): ArgumentError {
  try {
    checkOptions("call()", given as Options, rules);
  } catch (error) {
    if (error instanceof ArgumentError) return error;
    throw error;
  }
  throw new Error("was accepted");
}

describe("checkOptions", () => {
  it("accepts options of the rules, and missing ones", () => {
    checkOptions("call()", undefined, rules);
    checkOptions<Options>("call()", {}, rules);
    checkOptions<Options>(
      "call()",
      { columns: ["a"], unknown: "backfill", strict: false, size: 1, apiKey: "k", order: [null, 1], free: Symbol() },
      rules,
    );
    checkOptions("call()", { size: undefined } as unknown as Options, rules);
  });

  it.each([
    ["column", "columns"],
    ["Strict", "strict"],
    ["unkown", "unknown"],
    ["apikey", "apiKey"],
  ])("corrects %s to %s", (given, meant) => {
    const error = refusal({ [given]: "secret" });
    expect(String(error)).toBe(`ArgumentError: call() has no option ${JSON.stringify(given)}. Did you mean ${meant}?`);
    expect(JSON.stringify(error.facts)).not.toContain("secret");
  });

  it("lists the options if no name is similar, also for inherited names", () => {
    for (const name of ["colour", "constructor", "__proto__x", "toString"]) {
      expect(String(refusal({ [name]: 1 }))).toContain("Options: columns, unknown, strict, size, apiKey, order, free.");
    }
  });

  it.each<[object, string]>([
    [{ unknown: "backfil" }, 'unknown must be "null" or "backfill", but got "backfil". Did you mean "backfill"?'],
    [{ columns: "STATUS" }, 'columns must be an array of strings, but got "STATUS".'],
    [{ strict: "false" }, 'strict must be true or false, but got "false".'],
    [{ size: 0 }, "size must be an integer of at least 1, but got 0."],
    [{ size: 2 ** 31 }, "size must be an integer of at least 1, but got 2147483648."],
    [{ order: { a: 1 } }, 'order must be an array, but got {"a":1}.'],
  ])("rejects %j", (given, message) => {
    expect(String(refusal(given))).toBe(`ArgumentError: call(): ${message}`);
  });

  it.each([["2025-01-01"], [["a"]], [null], [new Date(0)], [3]])("rejects %j instead of options", (given) => {
    expect(refusal(given).message).toMatch(/^call\(\): options must be an object, but got /);
  });

  it("rejects missing options", () => {
    const needed: OptionRules<{ readonly size?: number; readonly share?: number }> = {
      size: required(integerFrom(1)),
      share: numberFrom(0, 1),
    };
    const check = (given: unknown) => () => requireOptions("call()", given as object, needed);
    expect(check({ size: 1, share: 0.5 })).not.toThrow();
    expect(check({ share: 1 })).toThrow("call() needs the option size: an integer of at least 1.");
    expect(check({ size: undefined })).toThrow("call() needs the option size: an integer of at least 1.");
    expect(check({ size: 1, share: 1.5 })).toThrow("call(): share must be a number from 0 to 1, but got 1.5.");
    expect(check(undefined)).toThrow("call(): options must be an object");
  });

  it.each<[OptionRule, object | undefined]>([
    [flag, { type: "boolean" }],
    [text, { type: "string" }],
    [texts, { type: "array", items: { type: "string" } }],
    [integerFrom(1, 5), { type: "integer", minimum: 1 }],
    [numberFrom(0), { type: "number", minimum: 0 }],
    [objectOf("a calendar"), { type: "object" }],
    [required(oneOf("a", "b")), { type: "string", enum: ["a", "b"] }],
    [anything, undefined],
  ])("describes values of $takes as JSON Schema", ({ schema }, expected) => {
    expect(schema).toEqual(expected);
  });
});
