import { createHash } from "node:crypto";
import { afterEach, describe, expect, test } from "vitest";
import { type SampleOptions, sampleCompany } from "../../sample/sample-company.js";
import { ArgumentError } from "../../src/core/errors.js";
import { changes, company, features } from "./records.js";

const PINNED = "1059bf1dd930bb499eca290deb507c62ceada765cd087c1ffc5c16738c8ecd9e";

function digest(options: SampleOptions): string {
  const { layerFeatures, propertyChanges, ...rest } = sampleCompany(options);
  const hash = createHash("sha256").update(JSON.stringify(rest));
  for (const feature of layerFeatures()) hash.update(JSON.stringify(feature));
  for (const change of propertyChanges()) hash.update(JSON.stringify(change));
  return hash.digest("hex");
}

describe("the same seed and size give the same company", () => {
  const zone = process.env["TZ"];
  afterEach(() => {
    if (zone === undefined) delete process.env["TZ"];
    else process.env["TZ"] = zone;
  });

  test("on every machine", () => {
    expect(digest({ seed: 1, features: 1000 })).toBe(PINNED);
  });

  test("in every time zone", () => {
    process.env["TZ"] = "Pacific/Apia";
    expect(new Date(2026, 0, 1).getTimezoneOffset()).toBe(-13 * 60);
    expect(digest({ seed: 1, features: 1000 })).toBe(PINNED);
  });

  test("and another seed another one", () => {
    expect(digest({ seed: 2, features: 1000 })).not.toBe(PINNED);
  });
});

test("features and changes can be read again and again, also side by side", () => {
  expect([...company.layerFeatures()]).toEqual(features);
  const once = company.propertyChanges();
  const [first, second] = [once[Symbol.iterator](), once[Symbol.iterator]()];
  for (const change of changes.slice(0, 100)) {
    expect(first.next().value).toEqual(change);
    expect(second.next().value).toEqual(change);
  }
});

test.each([1000, 1001, 2345, 3000, 20_000])("holds exactly %i features", (count) => {
  let seen = 0;
  for (const _ of sampleCompany({ features: count }).layerFeatures()) seen++;
  expect(seen).toBe(count);
});

test("has tens of thousands of changes by default", () => {
  expect(changes.length).toBeGreaterThan(20_000);
  expect(changes.length).toBeLessThan(30_000);
});

test.each([{ features: 999 }, { features: 1_000_001 }, { features: 1500.5 }, { features: Number.NaN }, { seed: 0.5 }])(
  "refuses %o",
  (options) => {
    expect(() => sampleCompany(options)).toThrow(ArgumentError);
  },
);
