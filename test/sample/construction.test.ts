import { expect, test } from "vitest";
import { features, logKey, logs } from "./records.js";

const tables = features.filter((feature) => feature.semantic_type === "SOLAR_PANELS");
const STEPS = ["PLANNED", "PILES", "STRUCTURE", "MODULES", "COMMISSIONED"];

/** Share of the tables that have reached a status by a date. */
function reached(status: string, date: string): number {
  const done = tables.filter((table) =>
    logs.get(logKey(table.id, "STATUS"))?.some((change) => change.new_value === status && change.created_at < date),
  );
  return done.length / tables.length;
}

test("the park is commissioned along an S: slow, fast, slow", () => {
  const quarters = ["2023-04", "2023-10", "2024-04", "2024-07", "2024-10", "2025-01", "2025-07", "2026-06"];
  const shares = quarters.map((date) => reached("COMMISSIONED", date));
  expect(shares).toEqual(shares.toSorted((a, b) => a - b));
  expect(shares[0]).toBe(0);
  expect(shares[1]).toBeLessThan(0.1);
  expect(shares[3]).toBeGreaterThan(0.3);
  expect(shares[3]).toBeLessThan(0.7);
  expect(shares.at(-1)).toBeGreaterThan(0.98);
  expect(shares.at(-1)).toBeLessThan(1);
});

test("winter is slow", () => {
  const winter = reached("PILES", "2024-03-01") - reached("PILES", "2023-12-01");
  const spring = reached("PILES", "2024-06-01") - reached("PILES", "2024-03-01");
  expect(winter).toBeLessThan(spring / 2);
});

test("every table passes the steps in order", () => {
  for (const table of tables) {
    const steps = (logs.get(logKey(table.id, "STATUS")) ?? []).map((change) => STEPS.indexOf(String(change.new_value)));
    expect(steps).toEqual(steps.toSorted((a, b) => a - b));
  }
});

test("a block is commissioned at one moment", () => {
  const moments = new Map<string, Set<string>>();
  for (const table of tables) {
    const block = table.visible_id?.slice(0, 3) ?? "";
    const last = logs.get(logKey(table.id, "STATUS"))?.find((change) => change.new_value === "COMMISSIONED");
    if (last !== undefined) moments.set(block, (moments.get(block) ?? new Set()).add(last.created_at));
  }
  expect(moments.size).toBeGreaterThan(10);
  expect([...moments.values()].map((set) => set.size)).toEqual(Array.from(moments, () => 1));
});
