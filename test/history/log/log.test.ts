import { describe, expect, it } from "vitest";
import { ArgumentError } from "../../../src/core/errors.js";
import type { History } from "../../../src/history/history.js";
import { change, feature, uuid } from "../../support/records.js";
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
    expect(rowsOf(history.diff("2024-03-01", "2024-03-31"))).toEqual([
      {
        id: 1,
        visible_id: "F-1",
        column: "STATUS",
        before: "a",
        after: "a",
        before_state: "logged",
        after_state: "logged",
        changes: 2,
      },
      {
        id: 2,
        visible_id: "F-2",
        column: "STATUS",
        before: null,
        after: "NEW",
        before_state: "absent",
        after_state: "unchanged",
        changes: 0,
      },
    ]);
    expect(history.diff("2024-03-31", "2024-03-31").numRows()).toBe(0);
    expect(() => history.diff("2024-03-31", "2024-03-01")).toThrow(ArgumentError);
  });
});

describe("knownAt", () => {
  const v7 = (hours: number, n: number) => {
    const hex = (Date.UTC(2024, 5, 1, hours) + n).toString(16).padStart(12, "0");
    return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-${n.toString(16).padStart(12, "0")}`;
  };
  const log = [
    change(1, { id: v7(1, 0), new_value: "a", created_at: "2024-05-01T00:00:00Z" }),
    change(2, { id: v7(2, 0), new_value: "b", created_at: "2024-04-01T00:00:00Z", caused_by_change_id: v7(3, 0) }),
    change(3, { id: v7(3, 0), new_value: 1, property_key: "VOLUME", created_at: "2024-04-01T00:00:00Z" }),
  ];

  it("does not let the future leak", async () => {
    const history = await historyOf([feature(1, { properties: { VOLUME: 1 } })], log);
    const first = history.knownAt(v7(1, 0).toUpperCase());
    expect(first.changeCount).toBe(1);
    expect(rowsOf(first.states("2024-04-15")).map(({ state }) => state)).toEqual(["unknown", "unknown"]);
    expect(first.asOf("2024-06-01").object()).toMatchObject({ STATUS: "a", VOLUME: null });
    expect(first.asOf("2024-04-15", { unknown: "backfill" }).object()).toMatchObject({ STATUS: "a", VOLUME: null });
    expect(first.lateEdits().numRows()).toBe(0);
    expect(history.lateEdits().numRows()).toBe(1);
    const second = history.knownAt(new Date(Date.UTC(2024, 5, 1, 2)));
    expect(second.asOf("2024-04-15").get("STATUS", 0)).toBe("b");
    expect(rowsOf(second.causes())).toEqual([
      { root_change_id: v7(3, 0), change_id: v7(2, 0), depth: 1, id: 1, column: "STATUS", value: "b" },
    ]);
    expect(history.knownAt("2024-05-31").changeCount).toBe(0);
    expect(history.knownAt("2024-06-01").changeCount).toBe(3);
  });

  it("refuses a time where ids do not say when they were inserted", async () => {
    const history = await historyOf([feature(1)], [change(1, { id: "11111111-2222-4333-8444-555555555555" })]);
    expect(() => history.knownAt("2024-06-01")).toThrow(/UUIDv7/);
    expect(history.knownAt("11111111-2222-4333-8444-555555555555").changeCount).toBe(1);
    expect(() => history.knownAt("yesterday")).toThrow(ArgumentError);
  });
});

describe("lateEdits", () => {
  it("names the newest change that was there before", async () => {
    const log = [
      at("2024-03-10T00:00:00Z", "a", 1),
      at("2024-03-20T00:00:00Z", "b", 2),
      at("2024-03-15T00:00:00Z", "c", 3),
      at("2024-03-20T00:00:00Z", "tie", 4),
    ];
    const history = await historyOf([feature(1)], log);
    expect(rowsOf(history.lateEdits())).toEqual([
      {
        change_id: uuid(3),
        id: 1,
        column: "STATUS",
        value: "c",
        created_at: new Date("2024-03-15T00:00:00Z"),
        overtaken_created_at: new Date("2024-03-20T00:00:00Z"),
        late_by_days: 5,
      },
    ]);
    expect(history.findings).toContainEqual(expect.objectContaining({ code: "late-edit", count: 1 }));
  });

  it("finds any number of them in one cell", async () => {
    const [late, onTime] = [150_000, 50_000];
    const second = (n: number) => new Date(Date.UTC(2024, 0, 1) + n * 1000);
    const log = Array.from({ length: 1 + late + onTime }, (_, n) => at(second(n > late ? n : -n).toISOString(), n, n));
    const edits = (await historyOf([feature(1)], log)).lateEdits();
    expect(edits.array("value")).toEqual(log.slice(1, 1 + late).map(({ new_value }) => new_value));
    expect(new Set(Array.from(edits.array("overtaken_created_at"), Number))).toEqual(new Set([Number(second(0))]));
  });
});

describe("lateEntries", () => {
  const recorded = (time: string, n: number, version = "7") => {
    const ms = Date.parse(time).toString(16).padStart(12, "0");
    return `${ms.slice(0, 8)}-${ms.slice(8)}-${version}000-8000-${n.toString(16).padStart(12, "0")}`;
  };
  const made = (created_at: string, id: string) => change(1, { id, created_at });
  const log = [
    made("2024-03-01T00:00:00Z", recorded("2024-03-01T00:00:01Z", 1)),
    made("2024-03-02T00:00:00Z", recorded("2024-03-09T00:00:00Z", 2)),
    made("2024-03-03T00:00:00Z", recorded("2024-03-11T12:00:00Z", 3)),
    // A clock that is ahead.
    made("2024-04-03T00:00:00Z", recorded("2024-03-12T00:00:00Z", 4)),
  ];

  it("tells what was recorded how long after it was made, though nothing newer had overtaken it", async () => {
    const history = await historyOf([feature(1)], log);
    expect(history.lateEdits().numRows()).toBe(0);
    expect(rowsOf(history.lateEntries({ moreThan: "P7D" }))).toEqual([
      {
        change_id: recorded("2024-03-11T12:00:00Z", 3),
        id: 1,
        visible_id: "F-1",
        column: "STATUS",
        value: "OPEN",
        created_at: new Date("2024-03-03T00:00:00Z"),
        recorded_at: new Date("2024-03-11T12:00:00Z"),
        late_by_days: 8.5,
      },
    ]);
    const late = (moreThan?: string) =>
      history.lateEntries(moreThan === undefined ? {} : { moreThan }).array("late_by_days");
    expect([late(), late("P1W"), late("P8DT12H"), late("PT1S")]).toEqual([[7, 8.5], [8.5], [], [7, 8.5]]);
    expect(late("PT0S")).toEqual([1 / 86_400, 7, 8.5]);
    expect(history.changes().get("recorded_at", 0)).toEqual(new Date("2024-03-01T00:00:01Z"));
  });

  it("says where ids carry no time that it cannot be known", async () => {
    const other = made("2024-03-01T00:00:00Z", recorded("2024-05-01T00:00:00Z", 9, "4"));
    const history = await historyOf([feature(1)], [...log, other]);
    expect(history.lateEntries().numRows()).toBe(2);
    expect(history.findings).toContainEqual(
      expect.objectContaining({
        code: "insertion-unknown",
        count: 1,
        message: expect.stringMatching(/^1 of 5 changes has an id that does not say/),
      }),
    );
    expect(history.changes().array("recorded_at")).toContain(null);
    const none = await historyOf([feature(1)], [other]);
    expect(() => none.lateEntries()).toThrow(
      "What came in late cannot be told: change 018f3173-7000-4000-8000-000000000009 has no insertion time",
    );
    expect(() => none.lateEntries()).toThrow(expect.objectContaining({ hint: expect.stringContaining("lateEdits()") }));
    expect((await historyOf([feature(1)], [])).lateEntries().numRows()).toBe(0);
  });

  it.each(["P1M", "P1Y", "-P1D", "a week", "", 7, null])("refuses %j as a length of time", async (moreThan) => {
    const history = await historyOf([feature(1)], log);
    expect(() => history.lateEntries({ moreThan } as never)).toThrow("moreThan takes a length of time, but got");
  });
});

describe("causes", () => {
  const caused = (n: number, by: number | null) => change(n, { caused_by_change_id: by === null ? null : uuid(by) });
  const treeOf = (history: History) =>
    rowsOf(history.causes()).map(({ root_change_id, change_id, depth }) => [root_change_id, change_id, depth]);

  it("shows each change right above those that it caused", async () => {
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
    expect(history.findings).toContainEqual(
      expect.objectContaining({ code: "cause-cycle", facts: { change_ids: [uuid(1), uuid(2)] } }),
    );
  });

  it("follows a chain of any length", async () => {
    const log = Array.from({ length: 20_000 }, (_, n) => caused(n + 1, n === 0 ? null : n));
    const history = await historyOf([feature(1)], log);
    expect(history.causes().array("depth").at(-1)).toBe(19_999);
  });

  it("lists any number of changes under the one that caused them", async () => {
    const log = Array.from({ length: 150_000 }, (_, n) => caused(n + 1, n === 0 ? null : 1));
    const tree = (await historyOf([feature(1)], log)).causes();
    expect(tree.array("change_id")).toEqual(log.map(({ id }) => id));
    expect(tree.array("depth").every((depth, n) => depth === Math.sign(n))).toBe(true);
  });
});

describe("reconcile", () => {
  it("tells which order explains the present", async () => {
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
    const people = (await historyOf([feature(1)], log, { timeZone: "Europe/Berlin" })).people();
    expect(rowsOf(people)).toEqual([
      {
        user_id: 7,
        system: false,
        edits: 3,
        first_at: new Date("1890-01-01T12:00:00Z"),
        last_at: new Date("2024-03-31T01:30:00Z"),
      },
      {
        user_id: null,
        system: true,
        edits: 1,
        first_at: new Date("2024-03-31T22:30:00Z"),
        last_at: new Date("2024-03-31T22:30:00Z"),
      },
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
  it("reads times without a zone as UTC and says so", async () => {
    const history = await historyOf(
      [feature(1)],
      [at("2024-03-01T00:00:00", "a", 1), at("2024-03-01T02:00:00+02:00", "b", 2)],
    );
    expect(history.changes().array("created_at_us")).toEqual([1709251200000000, 1709251200000000]);
    expect(history.findings).toContainEqual(expect.objectContaining({ code: "zoneless-timestamp", count: 1 }));
  });

  it("shows labels for codes where the layer does", async () => {
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
    expect(history.findings.map(({ code }) => code)).toEqual(["merged-column", "merged-conflict"]);
    const moved = await historyOf([feature(1)], changes("2024-03-03T00:00:00Z"));
    expect(moved.findings.map(({ code }) => code)).toEqual(["merged-column"]);
  });

  it("keeps built-in keys apart that differ in case", async () => {
    const log = [change(1, { property_key: "status" }), change(2, { property_key: "STATUS" })];
    const history = await historyOf([feature(1)], log);
    expect(history.changes().array("column")).toEqual(["status", "STATUS"]);
  });

  it("is exact for a feature with very many changes, in any order", async () => {
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

  it("answers every call where there is nothing", async () => {
    const history = await historyOf([], []);
    expect(history.changes().numRows()).toBe(0);
    expect(history.asOf("2024-01-01").numRows()).toBe(0);
    expect(history.diff("2024-01-01", "2024-01-02").numRows()).toBe(0);
    expect(history.lateEdits().numRows()).toBe(0);
    expect(history.causes().numRows()).toBe(0);
    expect(history.reconcile().mismatches.numRows()).toBe(0);
    expect(history.people().hours.numRows()).toBe(0);
    expect(history.knownAt("2024-01-01").findings.map(({ code }) => code)).toEqual(["empty-layer"]);
  });
});
