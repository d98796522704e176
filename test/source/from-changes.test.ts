import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { tableFromArrays } from "@uwdata/flechette";
import * as aq from "arquero";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { History } from "../../src/history/history.js";
import {
  burnDown,
  cumulativeFlow,
  histogram,
  sCurve,
  timeInStatus,
  transitionMap,
  valueOverTime,
} from "../../src/plot/index.js";
import type { FromChangesOptions } from "../../src/source/changes-options.js";
import { fromChanges } from "../../src/source/from-changes.js";
import { tableToCSV } from "../../src/tables/export/table-exports.js";
import { historyOf, times, worlds } from "../history/random-world.js";
import { rowsOf } from "../history/small-history.js";
import { randomRuns } from "../support/random-runs.js";
import { tableDifference } from "../support/same-tables.js";

interface Row {
  readonly issue: string;
  readonly field: string;
  readonly from: string | null;
  readonly to: unknown;
  readonly at: string;
  readonly by: string | null;
}

/** A changelog of three issues, as Jira has it. */
const log: readonly Row[] = [
  { issue: "A-1", field: "points", from: null, to: 5, at: "2024-01-03T10:00:00Z", by: "bob" },
  { issue: "A-2", field: "status", from: "Open", to: "Blocked", at: "2024-01-04T10:00:00Z", by: "ann" },
  { issue: "A-1", field: "status", from: "Open", to: "Done", at: "2024-01-05T10:00:00Z", by: "ann" },
  { issue: "A-2", field: "status", from: "Blocked", to: "Done", at: "2024-01-08T23:00:00Z", by: "ann" },
  { issue: "A-3", field: "status", from: "Open", to: "Done", at: "2024-01-11T23:00:00Z", by: null },
];
const fields = { id: "issue", key: "field", value: "to", time: "at", user: "by" } as const;
const readAt = new Date("2024-02-01T00:00:00Z");
const small = (options: Partial<FromChangesOptions<Row>> = {}, rows: readonly Row[] = log) =>
  fromChanges(rows, { ...fields, readAt, ...options });

type Status = Readonly<Record<string, unknown>>;
/** A history of the property `status` from rows with `id`, `value` and `at`. */
const ofStatus = (rows: readonly Status[], options: Partial<FromChangesOptions<Status>> = {}) =>
  fromChanges(rows, { id: "id", property: "status", value: "value", time: "at", readAt, ...options });

describe("a log of changes", () => {
  it("is a history with the ids of the log, and without columns that the log lacks", async () => {
    const history = await small();
    expect(history.columns).toEqual(["points", "status"]);
    expect(rowsOf(history.asOf("2024-01-05"))).toEqual([
      { id: "A-1", points: 5, status: "Done" },
      { id: "A-2", points: null, status: "Blocked" },
      { id: "A-3", points: null, status: null },
    ]);
    expect(history.states("2024-01-05").columnNames().join()).toBe(
      "id,column,value,state,changed_at,changed_at_us,user_id",
    );
    expect(rowsOf(history.states("2024-01-03")).map(({ id, column, state }) => [id, column, state])).toEqual([
      ["A-1", "points", "logged"],
      ["A-1", "status", "unknown"],
      ["A-2", "points", "unchanged"],
      ["A-2", "status", "unknown"],
      ["A-3", "points", "unchanged"],
      ["A-3", "status", "unknown"],
    ]);
    expect(rowsOf(history.changes())[0]).toEqual({
      ...{ seq: 0, id: "A-1", column: "points", value: 5, previous: null, user_id: "bob" },
      ...{ created_at: new Date("2024-01-03T10:00:00Z"), created_at_us: 1_704_276_000_000_000 },
      local_date: "2024-01-03",
    });
    expect((await small({ user: undefined })).changes().columnNames()).not.toContain("user_id");
    expect(history.layerAsOf("2024-01-05").table.columnNames()).toEqual(["id", "points", "status"]);
    expect(history.provenance).toEqual({ origin: { kind: "memory", name: "changes" }, readAt });
    expect(history.length).toBe(5);
  });

  it("has values from before the first change by `previous`", async () => {
    const history = await small({ previous: "from" });
    expect(history.asOf("2024-01-01").array("status")).toEqual(["Open", "Open", "Open"]);
    expect(rowsOf(history.intervals("status"))[0]).toMatchObject({ value: "Open", valid_from: null, state: "logged" });
    expect(rowsOf(history.steps("status")).map(({ id, from, to, days }) => [id, from, to, days])).toEqual([
      ["A-1", "Open", "Done", null],
      ["A-2", "Open", "Blocked", null],
      ["A-2", "Blocked", "Done", 4.541666666666667],
      ["A-3", "Open", "Done", null],
    ]);
    expect(history.length).toBe(5);
    expect(history.changes().array("seq")).toEqual([0, 1, 2, 3, 4]);
    expect(history.changes().array("previous")).toEqual([null, "Open", "Open", "Blocked", "Open"]);
    expect(history.editsByUser().array("edits")).toEqual([1, 3, 1]);
    expect(rowsOf(history.firstReached("status", "Open"))[0]).toMatchObject({ id: "A-1", reached_at: null });
    expect(history.diagnostics).toEqual([]);
  });

  it("reports a `previous` that differs from the value before", async () => {
    const rows = log.with(3, { ...(log[3] as Row), from: "Review" });
    expect((await small({ previous: "from" }, rows)).diagnostics).toMatchObject([
      { code: "previous-value-differs", count: 1, facts: { columns: ["status"], seq: [3] } },
    ]);
  });

  it("has the current values and creation times of a table of entities", async () => {
    const entities = [
      { issue: "A-1", status: "Done", points: 5, title: "Fence", created: "2024-01-02" },
      { issue: "A-3", status: "Open", points: 3, title: "Gate", created: "2024-01-10T00:00:00Z" },
    ];
    const history = await small({ entities, created: "created", previous: "from", timeZone: "Europe/Berlin" });
    expect(rowsOf(history.asOf("2024-01-09"))).toEqual([
      { id: "A-1", status: "Done", points: 5, title: "Fence", created_at: new Date("2024-01-01T23:00:00Z") },
    ]);
    expect(rowsOf(history.intervals("status"))[0]).toMatchObject({ valid_from: new Date("2024-01-01T23:00:00Z") });
    expect(
      rowsOf(history.diff("2024-01-09", "2024-01-10")).map(({ column, after, changes }) => [column, after, changes]),
    ).toEqual([
      ["status", "Open", 0],
      ["points", 3, 0],
      ["title", "Gate", 0],
    ]);
    expect(history.diagnostics.map(({ code }) => code)).toEqual(["change-without-feature", "log-differs-from-current"]);
    await expect(small({ entities: [...entities, ...entities] })).rejects.toThrow(
      "fromChanges(): rows 0 and 2 of `entities` have the same id",
    );
    const unborn = { issue: "A-1", created: null };
    await expect(small({ entities: [unborn, { issue: "A-2", created: "soon" }], created: "created" })).rejects.toThrow(
      "fromChanges(): invalid time a string of 4 characters in row 1 (option created).",
    );
    await expect(small({ entities: [{ key: 1 }] })).rejects.toThrow('unknown column "issue" of the entities');
  });

  it("orders insertion by `sequence`, and has knownAt() if that is a time", async () => {
    const rows = [
      { id: 7, value: "late", at: "2024-01-01T00:00:00Z", n: 2, seen: "2024-03-01T00:00:00Z" },
      { id: 7, value: "first", at: "2024-01-01T00:00:00Z", n: 1, seen: "2024-02-01T00:00:00Z" },
    ];
    const numbered = await ofStatus(rows, { sequence: "n" });
    const dated = await ofStatus(rows, { sequence: "seen" });
    expect((await ofStatus(rows)).asOf("2024-01-01").get("status", 0)).toBe("first");
    expect(numbered.asOf("2024-01-01").get("status", 0)).toBe("late");
    expect(dated.knownAt("2024-02-15").asOf("2024-01-01").get("status", 0)).toBe("first");
    expect(dated.knownAt("2024-01-15").asOf("2024-01-01").get("status", 0)).toBeNull();
    expect(() => dated.knownAt("00000000-0000-7000-8000-000000000000")).toThrow("the changes of this log have no ids");
    expect(() => numbered.knownAt("2024-02-15")).toThrow("the log has no times of recording");
  });

  it("reads local times in the given time zone, and refuses them without one", async () => {
    const timeOf = async (at: unknown, timeZone?: string) =>
      (await ofStatus([{ id: 1, value: 1, at }], { timeZone })).changes().get("created_at", 0);
    expect(await timeOf("2024-07-01", "Europe/Berlin")).toEqual(new Date("2024-06-30T22:00:00Z"));
    // In the skipped hour, and in the repeated hour.
    expect(await timeOf("2024-03-31 02:30", "Europe/Berlin")).toEqual(new Date("2024-03-31T01:30:00Z"));
    expect(await timeOf("2024-10-27 02:30", "Europe/Berlin")).toEqual(new Date("2024-10-27T00:30:00Z"));
    expect(await timeOf(new Date("2024-07-01T12:00:00Z"))).toEqual(new Date("2024-07-01T12:00:00Z"));
    await expect(timeOf("2024-07-01")).rejects.toMatchObject({
      code: "ERR_ARGUMENT",
      hint: expect.stringContaining("timeZone"),
    });
    await expect(timeOf(1_704_276_000)).rejects.toMatchObject({
      hint: expect.stringContaining("new Date(row.t * 1000)"),
    });
    await expect(timeOf("soon")).rejects.toThrow("invalid time a string of 4 characters in row 0");
  });

  it("agrees with Temporal on local times", async () => {
    const { Temporal } = await import("temporal-polyfill");
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(
          "Europe/Berlin",
          "America/St_Johns",
          "Australia/Lord_Howe",
          "Pacific/Apia",
          "Africa/Casablanca",
        ),
        fc.integer({ min: 0, max: 366 * 24 * 60 }),
        async (timeZone, minutes) => {
          const local = Temporal.PlainDateTime.from("2011-06-01T00:00").add({ minutes });
          const history = await ofStatus([{ id: 1, value: 1, at: local.toString() }], { timeZone });
          const expected = local.toZonedDateTime(timeZone).epochMilliseconds;
          expect(history.changes().get("created_at_us", 0)).toBe(expected * 1000);
        },
      ),
      { numRuns: randomRuns(300) },
    );
  });

  it("names the row, the option and the column in errors", async () => {
    await expect(small({ id: "isue" })).rejects.toMatchObject({
      code: "ERR_ARGUMENT",
      message: 'fromChanges(): unknown column "isue" of the rows in `id`.',
      hint: expect.stringContaining('Did you mean "issue"?'),
    });
    await expect(small({}, log.with(1, { ...(log[1] as Row), issue: null as never }))).rejects.toThrow(
      "fromChanges(): row 1 has no value in the column of the option id",
    );
    await expect(small({ key: undefined })).rejects.toThrow("the option key is missing");
    await expect(small({ property: "status" })).rejects.toThrow("the option key excludes the option property");
    await expect(fromChanges(5 as never, fields)).rejects.toThrow("fromChanges(): the rows cannot be 5");
    await expect(fromChanges([1] as never, fields)).rejects.toThrow(
      "fromChanges(): row 0 of the rows is a number, not an object",
    );
    await expect(small({ timeFormat: "%d" })).rejects.toThrow("does not determine a date");
    const nested = (levels: number): unknown => (levels === 0 ? [] : [nested(levels - 1)]);
    const deep = { ...(log[1] as Row), to: nested(500) as never };
    await expect(small({}, log.with(1, deep))).rejects.toThrow(
      "fromChanges(): the value in row 1 is nested deeper than 500 levels (option value).",
    );
    expect((await small({}, log.with(1, { ...deep, to: nested(499) as never }))).length).toBe(log.length);
    await expect(small({ delimiter: ";" })).rejects.toThrow("is for CSV files");
    for (const timeZone of ["Berlin", "2025-06-30T12:00:00Z", "-271820-01-01T00:00:00Z"])
      await expect(small({ timeZone })).rejects.toThrow(/unknown time zone/i);
    expect((await small({}, [])).asOf("2024-01-01").numRows()).toBe(0);
  });

  it("keeps integers beyond 2^53 exactly, as ids, values and order", async () => {
    const [small, large] = [1161888007138312192n, 1161888007138312193n];
    const at = "2024-01-01T00:00:00Z";
    const history = await ofStatus([small, large].map((id) => ({ id, value: id, at })));
    expect(history.asOf("2024-01-15").array("id")).toEqual([String(small), String(large)]);
    expect(history.asOf("2024-01-15").array("status")).toEqual([String(small), String(large)]);
    for (const write of [(seq: bigint) => seq, String]) {
      const rows = [
        { id: 1, value: "second", at, seq: write(large) },
        { id: 1, value: "first", at, seq: write(small) },
      ];
      for (const others of [[], [{ id: 1, value: "zeroth", at, seq: 7 }]]) {
        const ordered = await ofStatus([...rows, ...others], { sequence: "seq" });
        expect(ordered.asOf("2024-01-15").get("status", 0)).toBe("second");
      }
    }
  });

  it("has the values at the time of reading as current values if changes are dated later", async () => {
    const versions = [
      { id: 1, status: "pending", is_deleted: false, at: "2024-01-01T10:47:00Z" },
      { id: 1, status: null, is_deleted: true, at: "9999-12-31T00:00:00Z" },
      { id: 2, status: "planned", is_deleted: false, at: "2025-01-01T00:00:00Z" },
    ];
    const rows = versions.flatMap(({ id, at, ...columns }) =>
      Object.entries(columns).map(([key, value]) => ({ id, key, value, at })),
    );
    const orders = await fromChanges(rows, {
      id: "id",
      key: "key",
      value: "value",
      time: "at",
      readAt: new Date("2024-06-01"),
    });
    expect(
      rowsOf(orders.versions()).map((one) => [one["id"], one["status"], one["is_deleted"], one["is_current"]]),
    ).toEqual([
      [1, null, null, false],
      [1, "pending", false, true],
      [1, null, true, false],
      [2, null, null, true],
      [2, "planned", false, false],
    ]);
    expect(orders.diagnostics).toMatchObject([{ code: "date-after-read", count: 4 }]);
    expect(rowsOf(orders.asOf("2024-05-31"))[0]).toEqual({ id: 1, status: "pending", is_deleted: false });
    expect(orders.layerAsOf("2024-05-31").table.array("status")).toEqual(["pending", null]);
    expect(orders.reconcile().objects()).toMatchObject([
      { pairs: 2, valid: 2 },
      { pairs: 2, valid: 2 },
    ]);
  });

  it("reports values of the entities that differ from the log at the time of reading", async () => {
    const rows = [
      { id: 1, value: "OPEN", at: "2024-01-01T00:00:00Z" },
      { id: 1, value: "CLOSED", at: "2025-01-01T00:00:00Z" },
      { id: 2, value: "OPEN", at: "2024-01-02T00:00:00Z" },
      { id: 2, value: "CLOSED", at: "2025-01-01T00:00:00Z" },
      { id: 3, value: "CLOSED", at: "2025-01-01T00:00:00Z" },
    ];
    const history = await ofStatus(rows, {
      entities: [
        { id: 1, status: "OPEN" },
        { id: 2, status: "CLOSED" },
        { id: 3, status: "CLOSED" },
      ],
      readAt: new Date("2024-06-01"),
    });
    const counts = { pairs: 3, valid: 1, insertion: 2, both: 0, neither: 0 };
    expect(history.reconcile().object()).toEqual({ column: "status", ...counts });
    expect(rowsOf(history.reconcile().mismatches).map(({ id, logged, current }) => [id, logged, current])).toEqual([
      [2, "OPEN", "CLOSED"],
      [3, null, "CLOSED"],
    ]);
    const codes = (diagnostics: readonly { readonly code: string }[]) => diagnostics.map(({ code }) => code);
    expect(codes(history.diagnostics)).toEqual(["date-after-read", "log-differs-from-current"]);
    expect(codes(history.layerAsOf("2024-05-31").diagnostics)).toContain("log-differs-from-current");
    expect(codes(history.layerAsOf("2025-06-01").diagnostics)).not.toContain("log-differs-from-current");
  });

  it("has no duration for values from before the log", async () => {
    const rows = [1, 2, 3].flatMap((id) => [
      { id, from: "NEW", value: "OPEN", at: `2024-01-0${id}T00:00:00Z` },
      { id, from: "OPEN", value: "CLOSED", at: `2024-02-0${id}T00:00:00Z` },
    ]);
    const options = { readAt: new Date("2024-03-01") };
    for (const previous of [undefined, "from"]) {
      const history = await ofStatus(rows, { ...options, previous });
      for (const calendar of [undefined, { timeZone: "UTC", weekend: [] }]) {
        const durations = history.durations("status", calendar ? { calendar } : {});
        expect(durations.array("days")).toEqual([null, 31, 29, null, 31, 28, null, 31, 27]);
      }
      const figure = timeInStatus(history, "status").outerHTML;
      expect(figure).toContain("median per feature: OPEN 31 days, CLOSED 28 days.");
      expect(figure).toContain("without 3 of unknown length");
      expect(() => histogram(history.durations("status"), "days", { by: "value", unit: "days" })).not.toThrow();
    }
    const history = await ofStatus(rows, { ...options, previous: "from" });
    expect(rowsOf(history.transitions("status"))).toEqual([
      { from: "NEW", to: "OPEN", count: 3, median_days: null },
      { from: "OPEN", to: "CLOSED", count: 3, median_days: 31 },
    ]);
    expect(history.states("2023-12-31").array("changed_at_us")).toEqual([null, null, null]);
  });

  it("reads null for a column that a row lacks, never an inherited member", async () => {
    const rows: readonly Status[] = [
      { id: 1, toString: "Ann", at: "2024-05-01T00:00:00Z" },
      { id: 1, at: "2024-05-02T00:00:00Z" },
    ];
    const history = await ofStatus(rows, { value: "toString" });
    expect(history.changes().array("value")).toEqual(["Ann", null]);
    for (const value of ["constructor", "valueOf", "__proto__"]) {
      await expect(ofStatus(rows, { value })).rejects.toThrow(`unknown column "${value}"`);
    }
    const entities: readonly object[] = [{ id: 1, ["valueOf"]: 7 }, { id: 2 }];
    const withEntities = await ofStatus(rows, { value: "toString", entities });
    expect(withEntities.asOf("2024-05-03").array("valueOf")).toEqual([7, null]);
  });

  it("accepts functions of rows, Arquero tables and Arrow tables", async () => {
    const plain = await small({ previous: "from" });
    const byFunctions = await fromChanges(log, {
      ...{ id: (row) => row.issue, key: (row) => row.field, value: (row) => row.to, previous: "from", readAt },
      ...{ time: (row) => new Date(row.at), user: ({ by }) => by },
    });
    const table = aq.from(log.map((row) => ({ ...row, to: String(row.to) })));
    const arrow = tableFromArrays(
      Object.fromEntries(table.columnNames().map((name) => [name, [...table.array(name)]])) as never,
    );
    const ofTable = await fromChanges(table, { ...fields, readAt });
    for (const [one, other] of [
      [plain, byFunctions],
      [ofTable, await fromChanges(arrow, { ...fields, readAt })],
    ] as const) {
      expect(tableDifference(one.changes(), other.changes())).toBeUndefined();
      expect(tableDifference(one.asOf("2024-01-08"), other.asOf("2024-01-08"))).toBeUndefined();
    }
  });

  it("joins to tables by string ids, and can be drawn and exported", async () => {
    const history = await small({ previous: "from" });
    const visits = aq.from([
      { issue: "A-2", t: "2024-01-05" },
      { issue: "A-9", t: "2024-01-05" },
    ]);
    expect(history.joinAsOf(visits, { id: "issue", time: "t", columns: ["status"] }).array("status")).toEqual([
      "Blocked",
      null,
    ]);
    const dates = { from: "2024-01-01", until: "2024-01-15", every: "day" } as const;
    const figures = [
      burnDown(history, "status", { done: ["Done"], dates }),
      cumulativeFlow(history, "status", { dates }),
      sCurve(history, "status", { stages: ["Open", "Done"], dates }),
      timeInStatus(history, "status"),
      transitionMap(history, "status"),
      valueOverTime(history, "status"),
    ];
    for (const figure of figures) expect(figure.outerHTML).not.toContain("visible_id");
    expect(await tableToCSV(history.asOf("2024-01-05"))).toBe(
      "id,points,status\r\nA-1,5,Done\r\nA-2,,Blocked\r\nA-3,,Open\r\n",
    );
  });

  it("keeps the caller's columns that have names of a service's log", async () => {
    const rows = [
      { id: 1, key: "system", value: "north", t: "2024-01-01T00:00:00Z" },
      { id: 1, key: "user_id", value: "ann", t: "2024-01-01T00:00:00Z" },
      { id: 2, key: "user_id", value: "bob", t: "2024-01-02T00:00:00Z" },
    ];
    const history = await fromChanges(rows, { id: "id", key: "key", value: "value", time: "t", readAt });
    expect(rowsOf(history.asOf("2024-01-03"))[0]).toEqual({ id: 1, system: "north", user_id: "ann" });
    expect(history.changes().columnNames().join()).toBe(
      "seq,id,column,value,previous,created_at,created_at_us,local_date",
    );
    expect(history.panel({ dates: ["2024-01-03"] }).columnNames()).toEqual(["date", "id", "system", "user_id"]);
    const visits = aq.from([{ id: 1, t: "2024-01-03", change_id: "mine" }]);
    expect(rowsOf(history.joinAsOf(visits, { id: "id", time: "t", columns: ["system"] }))).toEqual([
      { id: 1, t: "2024-01-03", change_id: "mine", system: "north" },
    ]);
    const counted = history.counts("system", { dates: ["2024-01-03"] }, { by: "user_id" });
    expect(counted.array("user_id")).toEqual(["ann", "bob"]);
  });

  it("has layers as of a time with string ids, which can be exported", async () => {
    const history = await small();
    const layer = history.layerAsOf("2024-01-05");
    expect(layer.schema[0]).toMatchObject({ column: "id", source: "base" });
    expect((await layer.toArrow()).getChild("id")?.at(0)).toBe("A-1");
    expect((await layer.sql("SELECT id, status FROM layer WHERE status = 'Done'")).objects()).toEqual([
      { id: "A-1", status: "Done" },
    ]);
    expect(() => layer.toGeoJSON()).toThrow("no geometry column");
    expect(history.versions().columnNames().slice(0, 3)).toEqual(["id", "points", "status"]);
    expect((await layer.history({ columns: ["points"] })).columns).toEqual(["points"]);
    await expect(layer.history({ columnz: [] } as never)).rejects.toThrow('has no option "columnz"');
  });

  it("reads every property of entities, also if only the last entity has it", async () => {
    const entities = Array.from({ length: 200 }, (_, n) => ({ issue: `B-${n}`, ...(n === 199 ? { late: 1 } : {}) }));
    expect((await small({ entities })).asOf("2024-01-05").columnNames()).toContain("late");
  });

  it("returns the same as the history of a service with the same changes", async () => {
    await fc.assert(
      fc.asyncProperty(worlds, times, async (world, time) => {
        const chosen = ["STATUS", "VOLUME"];
        const theirs = await historyOf(world, chosen);
        const changes = [...world.changes].sort((a, b) => (a.id.toLowerCase() < b.id.toLowerCase() ? -1 : 1));
        const utc = (text: string) => (/(Z|[+-]\d\d:?\d\d)$/.test(text) ? text : `${text}Z`);
        const ours = await fromChanges(changes, {
          ...{
            id: "layer_feature_id",
            key: ({ property_key }) => property_key.toLowerCase().replace(/^[a-z]+$/, (key) => key.toUpperCase()),
          },
          ...{ value: "new_value", time: ({ created_at }) => utc(created_at), user: "user_id", readAt: world.readAt },
          entities: world.features.map(({ id, created_at, properties }) => ({
            id,
            created_at: utc(created_at),
            ...properties,
          })),
          ...{ entityId: "id", created: "created_at", columns: chosen, timeZone: world.timeZone },
        });
        const dates = ["2024-03-31", "2024-06-30", "2024-12-31"];
        for (const ask of [
          (history: History) => history.asOf(time).select("id", "STATUS", "VOLUME"),
          (history: History) => history.states(time),
          (history: History) => history.panel({ dates }),
          (history: History) => history.counts("STATUS", { dates }),
          (history: History) => history.intervals("STATUS"),
          (history: History) => history.durations("VOLUME"),
          (history: History) => history.transitions("STATUS"),
          (history: History) => history.steps("STATUS"),
          (history: History) => history.diff("2024-03-31", "2024-12-31"),
          (history: History) => history.lateEdits(),
          (history: History) => history.reconcile(),
          (history: History) => history.changes(),
        ]) {
          const expected = ask(theirs);
          const found = ask(ours);
          // Ranks of insertion count the changes of all properties in both.
          const names = found.columnNames();
          expect(tableDifference(expected.select(...names), found)).toBeUndefined();
        }
      }),
      { numRuns: randomRuns(100) },
    );
  });
});

describe("a log in a file", () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "siteframe-"));
  });
  afterAll(() => rm(folder, { recursive: true }));

  const csv = "issue,field,from,to,at,by\n".concat(
    log.map((row) => [row.issue, row.field, row.from, row.to, row.at, row.by].join()).join("\n"),
    "\n",
  );

  it.each(["csv", "ndjson", "json", "parquet"])("is read as its rows are: %s", async (ending) => {
    const path = join(folder, `log.${ending}`);
    if (ending === "csv") await writeFile(path, csv);
    else if (ending === "ndjson") await writeFile(path, log.map((row) => JSON.stringify(row)).join("\n"));
    else if (ending === "json") await writeFile(path, JSON.stringify(log));
    else await copy(join(folder, "log.ndjson"), path);
    const [ofFile, ofRows] = [
      await fromChanges(path, { ...fields, previous: "from", readAt }),
      await small({ previous: "from" }),
    ];
    expect(ofFile.provenance.origin).toEqual({ kind: "memory", name: `log.${ending}` });
    for (const ask of [
      (history: History) => history.changes(),
      (history: History) => history.asOf("2024-01-05"),
      (history: History) => history.intervals("status"),
    ]) {
      expect(tableDifference(ask(ofRows), ask(ofFile))).toBeUndefined();
    }
  });

  async function copy(from: string, to: string): Promise<void> {
    const connection = await (await DuckDBInstance.create(":memory:")).connect();
    await connection.run(
      `COPY (SELECT * REPLACE ("at" AT TIME ZONE 'UTC' AS "at") FROM read_json('${from}')) TO '${to}' (FORMAT parquet)`,
    );
    connection.closeSync();
  }

  it("has numbers and booleans if all values of a property are, otherwise strings", async () => {
    const path = join(folder, "typed.csv");
    const long = [
      "a string of more than twelve bytes, one",
      "a string of more than twelve bytes, two",
      "Ünïcödé ☃ and more of it",
    ];
    const columns = {
      count: ["5", "-1500.5", ""],
      flag: ["true", "false"],
      code: ["007", "12"],
      serial: ["12345678901234567890", "12"],
      far: ["1e999"],
      revision: ["1.1", "1.10"],
      block: ["1E2", "100"],
      ratio: ["0.12345678901234567891", "0.12345678901234567892"],
      text: [...long, long[0]],
    };
    const rows = Object.entries(columns).flatMap(([key, values]) =>
      values.map((value, n) => `1;${key};${key === "text" ? `"${value}"` : value};2024-01-01 00:00:0${n}`),
    );
    await writeFile(path, ["id;key;value;t", ...rows].join("\n"));
    const options = { id: "id", key: "key", value: "value", time: "t", readAt } as const;
    const history = await fromChanges(path, { ...options, timeZone: "UTC" });
    const changes = rowsOf(history.changes());
    const values = (column: string) => changes.filter((row) => row["column"] === column).map(({ value }) => value);
    expect(Object.fromEntries(Object.keys(columns).map((column) => [column, values(column)]))).toEqual({
      ...columns,
      count: [5, -1500.5, null],
      flag: [true, false],
    });
    expect(history.asOf("2024-01-01").get("id", 0)).toBe(1);
    await expect(fromChanges(path, options)).rejects.toThrow("times without a time zone");
  });

  it("distinguishes strings by all their bytes", async () => {
    const path = join(folder, "many.csv");
    const texts = Array.from({ length: 5000 }, (_, n) =>
      n % 2 === 0 ? `t${n}` : `a long string with the number ${n} of many`,
    );
    await writeFile(path, `id,value,t\n${texts.map((text, n) => `${n},"${text}",2024-01-01T00:00:00Z`).join("\n")}\n`);
    const history = await fromChanges(path, { id: "id", property: "p", value: "value", time: "t", readAt });
    expect(history.asOf("2024-01-01").array("p")).toEqual(texts);
  });

  it("can have times in a `timeFormat`, and entities in another file", async () => {
    const [path, entities] = [join(folder, "jira.csv"), join(folder, "issues.csv")];
    await writeFile(path, "Issue key,Field,New value,Date\nA-1,Status,Done,01/May/24 3:15 PM\n");
    await writeFile(entities, "Issue key,Status,Summary\nA-1,Done,Fence\nA-2,Open,Gate\n");
    const history = await fromChanges(path, {
      ...{ id: "Issue key", key: "Field", value: "New value", time: "Date", entities, readAt },
      ...{ timeFormat: "%d/%b/%y %I:%M %p", timeZone: "America/New_York" },
    });
    expect(rowsOf(history.asOf("2024-05-01"))).toEqual([
      { id: "A-1", Status: "Done", Summary: "Fence" },
      { id: "A-2", Status: "Open", Summary: "Gate" },
    ]);
    expect(history.changes().get("created_at", 0)).toEqual(new Date("2024-05-01T19:15:00Z"));
  });

  it("is refused with the reason if it cannot be read", async () => {
    const path = join(folder, "log.csv");
    for (const name of ["none.csv", "none.parquet", "none.json"]) {
      const missing = join(folder, name);
      await expect(fromChanges(missing, fields)).rejects.toMatchObject({ code: "ERR_FILE", facts: { path: missing } });
    }
    const long = join(folder, `${"x".repeat(90)}.csv`);
    await writeFile(long, "id,field\n1,a,b\n");
    const error = await fromChanges(long, { id: "id", property: "field", value: "field", time: "id" }).catch(String);
    expect(error).toMatch(/^FileError: /);
    await expect(fromChanges("log.xlsx", fields)).rejects.toThrow("unknown file type");
    await expect(fromChanges(new URL("https://example.com/log.csv"), fields)).rejects.toThrow("unsupported address");
    const unordered = join(folder, "unordered.csv");
    await writeFile(unordered, "id,v,t,n\n1,a,2024-01-01T00:00:00Z,1\n1,b,2024-01-01T00:00:00Z,\n");
    await expect(
      fromChanges(unordered, { id: "id", property: "p", value: "v", time: "t", sequence: "n" }),
    ).rejects.toThrow("missing time in row 1 (option sequence)");
    await expect(fromChanges(path, { ...fields, time: "att" })).rejects.toMatchObject({
      hint: expect.stringContaining('Did you mean "at"?'),
    });
    await expect(fromChanges(path, { ...fields, time: "field" })).rejects.toMatchObject({
      hint: expect.stringContaining("timeFormat"),
    });
    await expect(fromChanges(path, { ...fields, id: () => 1 })).rejects.toThrow("is a function");
  });
});
