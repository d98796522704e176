import fc from "fast-check";
import { expect, it } from "vitest";
import { nestsDeeper } from "../../../src/core/json/nests-deeper.js";

it("counts arrays and objects, and no brackets of texts", () => {
  expect(nestsDeeper('{"a":[{}]}', 3)).toBe(false);
  expect(nestsDeeper('{"a":[{}]}', 2)).toBe(true);
  expect(nestsDeeper('["[[[\\"[[[\\\\"]', 1)).toBe(false);
  expect(nestsDeeper("[[],[],[]]", 2)).toBe(false);
});

it("agrees with the depth of any value", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.nat(6), (value, most) => {
      expect(nestsDeeper(JSON.stringify(value), most)).toBe(depth(value) > most);
    }),
  );
});

function depth(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depth));
}
