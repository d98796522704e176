import { describe, expect, it } from "vitest";
import { ArgumentError } from "../../../src/core/errors.js";
import { change, feature, uuid, uuidAt } from "../../support/records.js";
import { Oracle } from "../oracle.js";
import { at, historyOf, rowsOf } from "../small-history.js";

describe("knownAt", () => {
  const idAt = (hours: number) => uuidAt(Date.UTC(2024, 5, 1, hours), 0);
  const log = [
    change(1, { id: idAt(1), new_value: "a", created_at: "2024-05-01T00:00:00Z" }),
    change(2, { id: idAt(2), new_value: "b", created_at: "2024-04-01T00:00:00Z", caused_by_change_id: idAt(3) }),
    change(3, { id: idAt(3), new_value: 1, property_key: "VOLUME", created_at: "2024-04-01T00:00:00Z" }),
  ];

  it("hides later changes", async () => {
    const history = await historyOf([feature(1, { properties: { VOLUME: 1 } })], log);
    const first = history.knownAt(idAt(1).toUpperCase());
    expect(first.length).toBe(1);
    expect(rowsOf(first.states("2024-04-15")).map(({ state }) => state)).toEqual(["unknown", "unknown"]);
    expect(first.asOf("2024-06-01").object()).toMatchObject({ STATUS: "a", VOLUME: null });
    expect(first.asOf("2024-04-15", { fillUnknown: "backfill" }).object()).toMatchObject({ STATUS: "a", VOLUME: null });
    expect(first.lateEdits().numRows()).toBe(0);
    expect(history.lateEdits().numRows()).toBe(1);
    const second = history.knownAt(new Date(Date.UTC(2024, 5, 1, 2)));
    expect(second.asOf("2024-04-15").get("STATUS", 0)).toBe("b");
    expect(rowsOf(second.causeTrees())).toEqual([
      { root_change_id: idAt(3), change_id: idAt(2), depth: 1, id: 1, column: "STATUS", value: "b" },
    ]);
    expect(history.knownAt("2024-05-31").length).toBe(0);
    expect(history.knownAt("2024-06-01").length).toBe(3);
  });

  it("refuses a time if ids have no insertion time", async () => {
    const history = await historyOf([feature(1)], [change(1, { id: "11111111-2222-4333-8444-555555555555" })]);
    expect(() => history.knownAt("2024-06-01")).toThrow(/UUIDv7/);
    expect(history.knownAt("11111111-2222-4333-8444-555555555555").length).toBe(1);
    expect(() => history.knownAt("yesterday")).toThrow(ArgumentError);
  });
});

describe("the log", () => {
  it("reads times without a zone as UTC and reports them", async () => {
    const history = await historyOf(
      [feature(1)],
      [at("2024-03-01T00:00:00", "a", 1), at("2024-03-01T02:00:00+02:00", "b", 2)],
    );
    expect(history.changes().array("created_at_us")).toEqual([1709251200000000, 1709251200000000]);
    expect(history.diagnostics).toContainEqual(expect.objectContaining({ code: "timestamp-without-zone", count: 1 }));
  });

  it("shows labels for codes if the layer does", async () => {
    const risk = uuid(6, "eeeeeeee");
    const log = [
      change(1, { property_key: risk.toUpperCase(), new_value: 1, created_at: "2024-03-01T00:00:00Z" }),
      change(2, { property_key: risk, new_value: "1", created_at: "2024-03-02T00:00:00Z" }),
    ];
    const features = [feature(1, { properties: { [risk]: "1" } })];
    const history = await historyOf(features, log, { optionLabels: true });
    expect(history.changes().array("value")).toEqual(["Low", "1"]);
    expect(history.reconcile().get("both", 0)).toBe(1);
  });

  it("reports a merged column that once held two values", async () => {
    const keys = [uuid(6, "eeeeeeee"), uuid(7, "ffffffff")];
    const changes = (second: string) => [
      change(1, { property_key: keys[0] ?? "", new_value: 1, created_at: "2024-03-01T00:00:00Z" }),
      change(2, { property_key: keys[1] ?? "", new_value: 2, created_at: second }),
      change(3, { property_key: keys[0] ?? "", new_value: null, created_at: "2024-03-03T00:00:00Z" }),
    ];
    const history = await historyOf([feature(1)], changes("2024-03-02T00:00:00Z"));
    expect(history.columns).toEqual(["Risk"]);
    expect(history.diagnostics.map(({ code }) => code)).toEqual(["column-merged", "column-merge-conflict"]);
    const moved = await historyOf([feature(1)], changes("2024-03-03T00:00:00Z"));
    expect(moved.diagnostics.map(({ code }) => code)).toEqual(["column-merged"]);
  });

  it("distinguishes built-in keys by case", async () => {
    const log = [change(1, { property_key: "status" }), change(2, { property_key: "STATUS" })];
    const history = await historyOf([feature(1)], log);
    expect(history.changes().array("column")).toEqual(["status", "STATUS"]);
  });

  it("is exact for a feature with many changes in any order", async () => {
    const log = Array.from({ length: 500 }, (_, n) => {
      const day = new Date(Date.UTC(2024, 0, 1 + ((n * 7919) % 300)));
      return change(n + 1, {
        new_value: n % 7,
        created_at: day.toISOString(),
        property_key: n % 3 ? "STATUS" : "VOLUME",
      });
    });
    const world = {
      features: [feature(1)],
      changes: log,
      columns: ["STATUS", "VOLUME"].map((column) => ({ column, keys: [column] })),
      timeZone: "UTC",
      readAt: new Date("2025-01-01T00:00:00Z"),
    };
    const [history, oracle] = [await historyOf(world.features, log), new Oracle(world)];
    for (const date of ["2023-12-31", "2024-01-01", "2024-05-17", "2024-10-26", "2024-12-01"]) {
      expect(rowsOf(history.states(date, { absent: "keep" }))).toEqual(oracle.states(date, true));
    }
    expect(rowsOf(history.intervals("STATUS"))).toEqual(oracle.intervals("STATUS"));
    expect(rowsOf(history.lateEdits())).toEqual(oracle.lateEdits());
  });

  it("returns empty tables without features", async () => {
    const history = await historyOf([], []);
    const tables = [history.changes(), history.asOf("2024-01-01"), history.diff("2024-01-01", "2024-01-02")];
    tables.push(history.lateEdits(), history.causeTrees(), history.reconcile().mismatches, history.editsByUser().hours);
    expect(tables.map((table) => table.numRows())).toEqual(tables.map(() => 0));
    expect(history.knownAt("2024-01-01").diagnostics.map(({ code }) => code)).toEqual(["layer-empty"]);
  });
});
