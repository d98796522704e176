import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { resolveTimePoint } from "../../../src/history/time/valid-time.js";
import { randomRuns } from "../../support/random-runs.js";
import { change, feature } from "../../support/records.js";
import { historyOf as historyOfWorld, times, worlds } from "../random-world.js";
import { at, historyOf, rowsOf } from "../small-history.js";

describe("versions", () => {
  it("are a slowly changing dimension", async () => {
    const history = await historyOf(
      [
        feature(1, { created_at: "2024-01-01T00:00:00Z" }),
        feature(2, { properties: { STATUS: "DONE", is_current: 7 } }),
      ],
      [at("2024-01-05T00:00:00Z", "OPEN", 1), at("2024-01-07T00:00:00Z", "DONE", 2)],
    );
    const table = history.versions();
    expect(table.columnNames()).toEqual([
      ...["id", "visible_id", "STATUS", "properties.is_current", "valid_from", "valid_to", "is_current"],
      ...["valid_from_us", "valid_to_us"],
    ]);
    const [first, second, third] = ["01", "05", "07"].map((day) => new Date(`2024-01-${day}T00:00:00Z`));
    expect(rowsOf(table.select("id", "STATUS", "valid_from", "valid_to", "is_current"))).toEqual([
      { id: 1, STATUS: null, valid_from: first, valid_to: second, is_current: false },
      { id: 1, STATUS: "OPEN", valid_from: second, valid_to: third, is_current: false },
      { id: 1, STATUS: "DONE", valid_from: third, valid_to: null, is_current: true },
      { id: 2, STATUS: "DONE", valid_from: first, valid_to: null, is_current: true },
    ]);
    expect(() => history.versions({ columns: ["STATSU"] })).toThrow("versions(): unknown property column");
    expect((await historyOf([feature(1)], [change(1)])).versions({ columns: [] }).numRows()).toBe(1);
  });

  it("equal asOf() at each time, without gaps", async () => {
    await fc.assert(
      fc.asyncProperty(worlds, times, async (world, time) => {
        const history = await historyOfWorld(world);
        const us = resolveTimePoint(time, world.timeZone);
        const all = rowsOf(history.versions());
        const holdsAt = (at: number, { valid_from_us, valid_to_us }: Readonly<Record<string, unknown>>) =>
          Number(valid_from_us ?? -Infinity) <= at && at < Number(valid_to_us ?? Infinity);
        const then = all.filter((row) => holdsAt(us, row));
        const names = ["id", ...history.columns] as const;
        const pick = (row: Readonly<Record<string, unknown>>) => names.map((name) => row[name] ?? null);
        expect(then.map(pick)).toEqual(rowsOf(history.asOf(time)).map(pick));
        all.forEach((row, index) => {
          const next = all[index + 1];
          expect(row["is_current"]).toBe(holdsAt(1000 * Number(history.readAt), row));
          if (next?.["id"] !== row["id"]) return;
          expect(next?.["valid_from_us"]).toBe(row["valid_to_us"]);
          expect(pick(next as typeof row).concat(0)).not.toBe(pick(row));
        });
      }),
      { numRuns: randomRuns(150) },
    );
  });
});
