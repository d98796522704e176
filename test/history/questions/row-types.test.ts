import { expect, expectTypeOf, it } from "vitest";
import type { RowTable } from "../../../src/index.js";
import { change, feature } from "../../support/records.js";
import { at, historyOf } from "../small-history.js";

const features = [feature(1, { properties: { STATUS: "CLOSED", VOLUME: 4 } })];
const log = [
  at("2024-03-01T00:00:00Z", "OPEN", 1),
  at("2024-05-01T00:00:00Z", "CLOSED", 2),
  change(3, { created_at: "2024-04-01T00:00:00Z", new_value: "LATE", caused_by_change_id: null }),
];

/** Expects the columns of a table to be those of its rows' type. */
function expectColumns<Row extends object>(table: RowTable<Row>, ...names: readonly (keyof Row & string)[]): void {
  expect(table.columnNames()).toEqual(names);
}

it("rows of questions have the columns of their types", async () => {
  const history = await historyOf(features, log);
  const cell = ["id", "visible_id"] as const;
  const times = ["change_id", "changed_at", "changed_at_us", "user_id", "system"] as const;
  const micros = ["valid_from_us", "valid_to_us"] as const;
  const interval = ["value", "state", "valid_from", "valid_to", "change_id", ...micros, "local_date"] as const;
  expectColumns(history.intervals("STATUS"), ...cell, ...interval);
  expectColumns(history.durations("STATUS"), ...cell, "value", "state", "days", "intervals");
  expectColumns(history.steps("STATUS"), ...cell, "from", "to", "days", ...times);
  expectColumns(history.firstReached("STATUS", "OPEN"), ...cell, "reached_at", "change_id", "reached_at_us");
  expectColumns(history.states("2024-06-30"), ...cell, "column", "value", "state", ...times);
  const difference = ["column", "before", "after", "before_state", "after_state", "changes"] as const;
  expectColumns(history.diff("2024-01-01", "2024-06-30"), ...cell, ...difference);
  const late = ["created_at", "overtaken_created_at", "late_by_days"] as const;
  expectColumns(history.lateEdits(), "change_id", "id", "column", "value", ...late);
  expectColumns(history.causeTrees(), "root_change_id", "change_id", "depth", "id", "column", "value");
  expectColumns(history.counts("STATUS", ["2024-06-30"]), "date", "state", "value", "count");
  expectColumns(history.totals("VOLUME", ["2024-06-30"]), "date", "sum", "count", "unknown");
});

it("cells have the types of their columns, and `any` for values that may be null", async () => {
  const history = await historyOf(features, log);
  expectTypeOf(history.intervals("VOLUME").objects()[0]?.value).toBeAny();
  expectTypeOf(history.intervals("VOLUME").get("valid_from", 0)).toBeAny();
  expectTypeOf(history.counts("STATUS", ["2024-06-30"], { by: "VOLUME" }).get("count", 0)).toEqualTypeOf<number>();
  expectTypeOf(history.counts("STATUS", ["2024-06-30"], { by: "VOLUME" }).get("VOLUME", 0)).toBeAny();
  expectTypeOf(history.panel(["2024-06-30"]).get("STATUS", 0)).toBeAny();
  const rows = history.counts("STATUS", ["2024-06-30"]).objects();
  expect(rows.map(({ count }) => 2 * count)).toEqual([2]);
});
