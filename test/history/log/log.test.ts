import { describe, expect, it } from "vitest";
import { ArgumentError } from "../../../src/core/errors.js";
import type { History } from "../../../src/history/history.js";
import { change, feature, uuid, uuidAt } from "../../support/records.js";
import { Oracle } from "../oracle.js";
import { at, historyOf, rowsOf } from "../small-history.js";

describe("diff", () => {
  it("lists what was changed, and features that appeared", async () => {
    const features = [feature(1), feature(2, { properties: { STATUS: "NEW" }, created_at: "2024-03-15T00:00:00Z" })];
    const log = [
      at("2024-02-01T00:00:00Z", "a", 1),
      at("2024-03-10T00:00:00Z", "b", 2),
      at("2024-03-11T00:00:00Z", "a", 3),
    ];
    const history = await historyOf(features, log);
    expect(rowsOf(history.diff("2024-03-01", "2024-03-31"))).toMatchObject([
      { id: 1, column: "STATUS", before: "a", after: "a", before_state: "logged", after_state: "logged", changes: 2 },
      { id: 2, before: null, after: "NEW", before_state: "absent", after_state: "unchanged", changes: 0 },
    ]);
    expect(history.diff("2024-03-31", "2024-03-31").numRows()).toBe(0);
    expect(() => history.diff("2024-03-31", "2024-03-01")).toThrow(ArgumentError);
  });
});

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
    expect(first.changeCount).toBe(1);
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
    expect(history.knownAt("2024-05-31").changeCount).toBe(0);
    expect(history.knownAt("2024-06-01").changeCount).toBe(3);
  });

  it("refuses a time if ids have no insertion time", async () => {
    const history = await historyOf([feature(1)], [change(1, { id: "11111111-2222-4333-8444-555555555555" })]);
    expect(() => history.knownAt("2024-06-01")).toThrow(/UUIDv7/);
    expect(history.knownAt("11111111-2222-4333-8444-555555555555").changeCount).toBe(1);
    expect(() => history.knownAt("yesterday")).toThrow(ArgumentError);
  });
});

describe("lateEdits", () => {
  it("names the newest change before each late edit", async () => {
    const log = [
      at("2024-03-10T00:00:00Z", "a", 1),
      at("2024-03-20T00:00:00Z", "b", 2),
      at("2024-03-15T00:00:00Z", "c", 3),
      at("2024-03-20T00:00:00Z", "tie", 4),
    ];
    const history = await historyOf([feature(1)], log);
    expect(rowsOf(history.lateEdits())).toMatchObject([
      { change_id: uuid(3), value: "c", overtaken_created_at: new Date("2024-03-20T00:00:00Z"), late_by_days: 5 },
    ]);
    expect(history.diagnostics).toContainEqual(expect.objectContaining({ code: "edit-late", count: 1 }));
  });

  it("lists any number of edits in one cell", async () => {
    const [late, onTime] = [150_000, 50_000];
    const second = (n: number) => new Date(Date.UTC(2024, 0, 1) + n * 1000);
    const log = Array.from({ length: 1 + late + onTime }, (_, n) => at(second(n > late ? n : -n).toISOString(), n, n));
    const edits = (await historyOf([feature(1)], log)).lateEdits();
    expect(edits.array("value")).toEqual(log.slice(1, 1 + late).map(({ new_value }) => new_value));
    expect(new Set(Array.from(edits.array("overtaken_created_at"), Number))).toEqual(new Set([Number(second(0))]));
  });
});

describe("lateEntries", () => {
  const recorded = (time: string, n: number, version = 7) => uuidAt(Date.parse(time), n, version);
  const made = (created_at: string, id: string) => change(1, { id, created_at });
  const log = [
    made("2024-03-01T00:00:00Z", recorded("2024-03-01T00:00:01Z", 1)),
    made("2024-03-02T00:00:00Z", recorded("2024-03-09T00:00:00Z", 2)),
    made("2024-03-03T00:00:00Z", recorded("2024-03-11T12:00:00Z", 3)),
    // The clock is ahead.
    made("2024-04-03T00:00:00Z", recorded("2024-03-12T00:00:00Z", 4)),
  ];

  it("lists changes that were recorded late, even if no newer change preceded them", async () => {
    const history = await historyOf([feature(1)], log);
    expect(history.lateEdits().numRows()).toBe(0);
    expect(rowsOf(history.lateEntries({ moreThan: "P7D" }))).toMatchObject([
      { change_id: log[2]?.id, recorded_at: new Date("2024-03-11T12:00:00Z"), late_by_days: 8.5 },
    ]);
    const late = (moreThan?: string) =>
      history.lateEntries(moreThan === undefined ? {} : { moreThan }).array("late_by_days");
    expect([late(), late("P1W"), late("P8DT12H"), late("PT1S")]).toEqual([[7, 8.5], [8.5], [], [7, 8.5]]);
    expect(late("PT0S")).toEqual([1 / 86_400, 7, 8.5]);
    expect(history.changes().get("recorded_at", 0)).toEqual(new Date("2024-03-01T00:00:01Z"));
  });

  it("reports ids without a time, and throws if no id has one", async () => {
    const other = made("2024-03-01T00:00:00Z", recorded("2024-05-01T00:00:00Z", 9, 4));
    const history = await historyOf([feature(1)], [...log, other]);
    expect(history.lateEntries().numRows()).toBe(2);
    expect(history.diagnostics).toContainEqual(
      expect.objectContaining({
        code: "recording-time-unknown",
        count: 1,
        message: expect.stringMatching(/^1 of 5 changes has an id without a time of recording/),
      }),
    );
    expect(history.changes().array("recorded_at")).toContain(null);
    const none = await historyOf([feature(1)], [other]);
    expect(() => none.lateEntries()).toThrow(
      "the id of change 018f3173-7000-4000-8000-000000000009 is not a UUIDv7 and has no insertion time",
    );
    expect(() => none.lateEntries()).toThrow(expect.objectContaining({ hint: expect.stringContaining("lateEdits()") }));
    expect((await historyOf([feature(1)], [])).lateEntries().numRows()).toBe(0);
  });

  it.each(["P1M", "P1Y", "-P1D", "a week", "", 7, null])("refuses the length of time %j", async (moreThan) => {
    const history = await historyOf([feature(1)], log);
    expect(() => history.lateEntries({ moreThan } as never)).toThrow("lateEntries(): invalid duration");
  });
});

describe("causes", () => {
  const caused = (n: number, by: number | null) => change(n, { caused_by_change_id: by === null ? null : uuid(by) });
  const treeOf = (history: History) =>
    rowsOf(history.causeTrees()).map(({ root_change_id, change_id, depth }) => [root_change_id, change_id, depth]);

  it("lists each change right above its effects", async () => {
    const log = [caused(1, null), caused(2, 1), caused(3, 1), caused(4, 2), caused(5, 99), caused(6, null)];
    const history = await historyOf([feature(1)], log);
    expect(treeOf(history)).toEqual([
      [uuid(1), uuid(1), 0],
      [uuid(1), uuid(2), 1],
      [uuid(1), uuid(4), 2],
      [uuid(1), uuid(3), 1],
      [uuid(99), uuid(5), 1],
    ]);
  });

  it("cuts cycles at their first change and reports them", async () => {
    const history = await historyOf(
      [feature(1)],
      [caused(1, 1), caused(2, 4), caused(3, 2), caused(4, 3), caused(5, 4)],
    );
    expect(treeOf(history)).toEqual([
      [uuid(1), uuid(1), 0],
      [uuid(2), uuid(2), 0],
      [uuid(2), uuid(3), 1],
      [uuid(2), uuid(4), 2],
      [uuid(2), uuid(5), 3],
    ]);
    expect(history.diagnostics).toContainEqual(
      expect.objectContaining({ code: "cause-cyclic", facts: { change_ids: [uuid(1), uuid(2)] } }),
    );
  });

  it.each<[string, number, (n: number) => number, (n: number) => number]>([
    ["a chain", 20_000, (n) => n, (n) => n],
    ["siblings", 150_000, () => 1, Math.sign],
  ])("lists %s of %d changes", async (_, length, causeOf, depthOf) => {
    const log = Array.from({ length }, (_, n) => caused(n + 1, n === 0 ? null : causeOf(n)));
    const tree = (await historyOf([feature(1)], log)).causeTrees();
    expect(tree.array("change_id")).toEqual(log.map(({ id }) => id));
    expect(tree.array("depth")).toEqual(log.map((_, n) => depthOf(n)));
  });
});

describe("reconcile", () => {
  it("counts current values by the order that explains them", async () => {
    const late = [at("2024-03-02T00:00:00Z", "by time", 1), at("2024-03-01T00:00:00Z", "by insertion", 2)];
    const reconciled = async (STATUS: string) =>
      (await historyOf([feature(1, { properties: { STATUS } })], late)).reconcile();
    const counted = { column: "STATUS", pairs: 1, valid: 0, insertion: 0, both: 0, neither: 0 };
    expect((await reconciled("by time")).object()).toEqual({ ...counted, valid: 1 });
    expect((await reconciled("by insertion")).object()).toEqual({ ...counted, insertion: 1 });
    const neither = await reconciled("else");
    expect(neither.object()).toEqual({ ...counted, neither: 1 });
    expect(rowsOf(neither.mismatches)).toEqual([
      { id: 1, visible_id: "F-1", column: "STATUS", logged: "by time", current: "else", insertion: false },
    ]);
  });
});

describe("people", () => {
  it("counts edits by user, hour and weekday of the zone's clocks", async () => {
    const log = [
      change(1, { created_at: "2024-03-31T00:30:00Z" }),
      change(2, { created_at: "2024-03-31T01:30:00Z" }),
      change(3, { created_at: "2024-03-31T22:30:00Z", system: true, user_id: null }),
      change(4, { created_at: "1890-01-01T12:00:00Z" }),
    ];
    const people = (await historyOf([feature(1)], log, { timeZone: "Europe/Berlin" })).editsByUser();
    const [first_at, last_at] = [new Date("1890-01-01T12:00:00Z"), new Date("2024-03-31T01:30:00Z")];
    expect(rowsOf(people)).toMatchObject([
      { user_id: 7, system: false, edits: 3, first_at, last_at },
      { user_id: null, system: true, edits: 1 },
    ]);
    expect(rowsOf(people.hours)).toEqual([
      { user_id: 7, system: false, weekday: 3, hour: 12, edits: 1 },
      { user_id: 7, system: false, weekday: 7, hour: 1, edits: 1 },
      { user_id: 7, system: false, weekday: 7, hour: 3, edits: 1 },
      { user_id: null, system: true, weekday: 1, hour: 0, edits: 1 },
    ]);
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
