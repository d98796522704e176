import { expect, it } from "vitest";
import { countMentions } from "../../../src/snapshot/sql/sql-tokens.js";

it("counts whole names in a query, in any case and quotes", () => {
  expect(countMentions('FROM TRENCHES, "trenches" t, TRENCHES_AT(x), trenches.id', "trenches")).toBe(3);
  expect(countMentions('SELECT "say ""a+b""" FROM x', 'say "a+b"')).toBe(1);
  expect(countMentions("SELECT 1", "trenches")).toBe(0);
});
