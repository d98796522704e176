import { expect, test } from "vitest";
import { isIdColumn, numberForm, shownUnit } from "../../../src/tables/display/column-form.js";

const [MINUTE, DAY] = [60_000, 86_400_000];

test.each([
  [{ name: "site_id" }, [1, 2], { decimals: 0, style: "id" }],
  [{ name: "siteId" }, [1, 2], { decimals: 0, style: "id" }],
  [{ name: "paid" }, [1, 2], { decimals: 0 }],
  [{ name: "", isIndex: true }, [1, 2], { decimals: 0, style: "id" }],
  [{ name: "affected_percent" }, [0.31789, 0.5], { decimals: 2, style: "percent" }],
  [{ name: "coverage" }, [0.56667, 1, null], { decimals: 2, style: "share" }],
  [{ name: "probability" }, [0.5, 0.8], { decimals: 0, style: "share" }],
  [{ name: "coverage" }, [0.5, 56], { decimals: 1 }],
  [{ name: "coverage", format: { unit: "m" } }, [0.5, 1], { decimals: 1 }],
  [{ name: "power", format: { decimals: 3 } }, [1], { decimals: 3 }],
])("%j of %j has the form %j", (column, values, form) => {
  expect(numberForm(column, values)).toEqual(form);
});

test("ids are recognized by their types and names", () => {
  expect(isIdColumn({ name: "parent", type: "RELATIONSHIP" })).toBe(true);
  expect(["id", "external_key", "grid", "valid", "code"].map((name) => isIdColumn({ name }))).toEqual([
    ...[true, true, false, false, true],
  ]);
});

test("dates are shown to the day or minute, and in full only within an hour", () => {
  const at = (text: string) => Date.parse(`2026-06-30T${text}Z`);
  expect(shownUnit([at("00:00"), null], {})).toBe(DAY);
  expect(shownUnit([at("10:00:05.125"), at("14:00")], {})).toBe(MINUTE);
  expect(shownUnit([at("10:00:05.125")], {})).toBe(MINUTE);
  expect(shownUnit([at("10:00:05"), at("10:00:07")], {})).toBe(1000);
  expect(shownUnit([at("10:00:05"), at("14:00")], { precision: "day" })).toBe(DAY);
});
