import * as aq from "arquero";
import fc from "fast-check";
import { Temporal } from "temporal-polyfill";
import { describe, expect, it } from "vitest";
import type { PropertyChange } from "../../../src/api/resources.js";
import { ArgumentError } from "../../../src/core/errors.js";
import { type JoinAsOfOptions, toDanfo } from "../../../src/index.js";
import { randomNumbers, randomRuns } from "../../support/random-runs.js";
import { change, feature, uuid } from "../../support/records.js";
import { refusal } from "../../support/refusal.js";
import { endOf, Oracle, type World } from "../oracle.js";
import * as random from "../random-world.js";
import { at, historyOf, rowsOf } from "../small-history.js";

const features = [
  feature(1),
  feature(2, { properties: { STATUS: "PLANNED" } }),
  feature(3, { created_at: "2024-06-01T00:00:00Z", properties: { STATUS: "NEW" } }),
];
const log = [
  at("2024-01-11T00:00:00.000001Z", "OPEN", 1),
  at("2024-01-21T00:00:00Z", "CLOSED", 2),
  at("2024-01-21T00:00:00Z", "BLOCKED", 3),
  at("2024-02-01T12:00:00Z", null, 4),
];
const small = () => historyOf(features, log);
const options: JoinAsOfOptions = { id: "feature", time: "when" };

describe("at", () => {
  it("adds the values of the feature at the time of each row after the table's columns", async () => {
    const history = await small();
    const table = aq.table({
      feature: [1, 1, 1, 2, 1, 3],
      when: ["2024-01-11", "2024-01-21T00:00:00Z", new Date("2024-01-20"), "2024-01-05", "2024-02-01", "2024-02-01"],
      note: ["a", "b", "c", "d", "e", "f"],
    });
    const joined = history.joinAsOf(table, { ...options, columns: ["STATUS"], state: true, age: true });
    expect(joined.columnNames()).toEqual(["feature", "when", "note", "STATUS", "STATUS.state", "STATUS.age_days"]);
    expect(joined.array("note")).toEqual(["a", "b", "c", "d", "e", "f"]);
    expect(joined.array("STATUS")).toEqual(["OPEN", "BLOCKED", "OPEN", "PLANNED", null, null]);
    expect(joined.array("STATUS.state")).toEqual(["logged", "logged", "logged", "unchanged", "cleared", "absent"]);
    const age = joined.array("STATUS.age_days");
    expect(age).toEqual([1 - 1e-6 / 86_400, 0, 9 - 1e-6 / 86_400, null, 0.5, null]);
    expect(history.diagnostics).toMatchObject([{ code: "row-before-feature", count: 1 }]);
  });

  it("accepts records, and microseconds in a column with the suffix _us", async () => {
    const history = await small();
    const records = [10, 11, 1_704_931_200_000_000n].map((when_us) => ({ feature: 1n, when_us }));
    records[1] = { feature: 1n, when_us: 1_704_931_200_000_001 };
    const joined = history.joinAsOf(records, { id: "feature", time: "when_us", columns: ["STATUS"], state: true });
    expect(joined.array("STATUS")).toEqual([null, "OPEN", null]);
    expect(joined.array("STATUS.state")).toEqual(["absent", "logged", "unknown"]);
    expect(history.joinAsOf([], { ...options, columns: ["STATUS"] }).columnNames()).toEqual(["STATUS"]);
  });

  it("joins to a history without features", async () => {
    const history = await historyOf([], []);
    expect(history.joinAsOf([], options).numRows()).toBe(0);
    expect(history.joinAsOf([{ feature: 1, when: "2024-01-11" }], options).array("feature")).toEqual([1]);
  });

  it("accepts a Danfo frame with missing values", async () => {
    const danfo = await import("danfojs-node");
    const history = await small();
    const given = { ...options, columns: ["STATUS"], state: true } as const;
    const frame = new danfo.DataFrame({
      feature: [1, 2, 1, 9, Number.NaN],
      when: ["2024-01-15", "2024-01-05", null, "2024-01-15", "2024-01-15"],
      size: [1.5, 2, Number.NaN, 4, 5],
    });
    const joined = history.joinAsOf(frame, given);
    expect(joined.columnNames()).toEqual(["feature", "when", "size", "STATUS", "STATUS.state"]);
    expect(joined.array("STATUS")).toEqual(["OPEN", "PLANNED", null, null, null]);
    expect(joined.array("STATUS.state")).toEqual(["logged", "unchanged", "unknown", "unknown", "unknown"]);
    expect(joined.array("size")).toEqual([1.5, 2, Number.NaN, 4, 5]);
    expect(history.diagnostics).toMatchObject([{ code: "row-without-values", count: 3 }]);
    // Rows that pass a query keep their labels.
    const passing = frame.query(frame["feature"].eq(1));
    expect(history.joinAsOf(passing, given).array("STATUS")).toEqual(["OPEN", null]);
    const dates = new danfo.DataFrame({ feature: [1, 1], when: [new Date("2024-01-15"), new Date("2024-01-31")] });
    expect(history.joinAsOf(dates, given).array("STATUS")).toEqual(["OPEN", "BLOCKED"]);
    const table = await toDanfo(history.asOf("2024-01-15"));
    expect(history.joinAsOf(table, { id: "id", time: "created_at", columns: ["STATUS"] }).numRows()).toBe(2);
    expect(() => history.joinAsOf(frame, { ...given, time: "wen" })).toThrow(
      expect.objectContaining({ hint: expect.stringMatching(/^Did you mean "when"\?/) }),
    );
    expect(history.joinAsOf(new danfo.DataFrame([]), given).numRows()).toBe(0);
  });

  it("accepts points of Temporal, for all rows and in columns", async () => {
    const history = await small();
    const day = "2024-01-15";
    const known = Temporal.Instant.from("2099-01-01T00:00:00Z");
    const dates = [day, Temporal.PlainDate.from(day)].map((when) => ({ feature: 1, when }));
    const ages = history.joinAsOf(dates, { ...options, columns: ["STATUS"], age: true }).array("STATUS.age_days");
    expect(ages[1]).toBe(ages[0]);
    const asked = history.joinAsOf(dates, { ...options, columns: ["STATUS"], knownAt: known });
    expect(asked.array("STATUS")).toEqual(["OPEN", "OPEN"]);
    expect(() => Reflect.apply(history.joinAsOf, history, [dates])).toThrow(ArgumentError);
  });

  it("reads the filtered and ordered rows of a table", async () => {
    const history = await small();
    const table = aq
      .table({ feature: [1, 2, 1], when: ["2024-01-15", "2024-01-15", "2024-01-25"], keep: [true, false, true] })
      .filter("d => d.keep")
      .orderby(aq.desc("when"));
    const joined = history.joinAsOf(table, { ...options, columns: ["STATUS"] });
    expect(joined.array("when")).toEqual(["2024-01-25", "2024-01-15"]);
    expect(joined.array("STATUS")).toEqual(["BLOCKED", "OPEN"]);
    const filtered = history.joinAsOf(table.unorder(), { ...options, columns: ["STATUS"] });
    expect(filtered.array("STATUS")).toEqual(["OPEN", "BLOCKED"]);
  });

  it("renames properties that have the name of a column", async () => {
    const history = await small();
    const row = { feature: 1, when: "2024-01-15", STATUS: "mine", "STATUS.state": "mine, too" };
    const joined = history.joinAsOf([row], { ...options, columns: ["STATUS"], state: true });
    const added = { "properties.STATUS": "OPEN", "properties.STATUS.state": "logged" };
    expect(rowsOf(joined)).toEqual([{ ...row, ...added }]);
  });

  it("counts rows without values", async () => {
    const history = await small();
    const rows = [
      { feature: 1, when: "2024-01-15", known: uuid(1) },
      { feature: 9, when: "2024-01-15", known: uuid(1) },
      { feature: "1", when: "2024-01-15", known: uuid(1) },
      { feature: null, when: "2024-01-15", known: uuid(1) },
      { feature: 1, when: null, known: uuid(1) },
      { feature: 1, when: "2024-01-15", known: null },
      { feature: 1, when: "2026-01-15", known: uuid(1) },
    ];
    const joined = history.joinAsOf(rows, { ...options, columns: ["STATUS"], state: true, knownAt: "known" });
    expect(joined.array("STATUS")).toEqual(["OPEN", null, null, null, null, null, "OPEN"]);
    expect(new Set(joined.array("STATUS.state").slice(1, 6))).toEqual(new Set(["unknown"]));
    expect(history.diagnostics.map(({ message }) => message)).toEqual([
      "5 of 7 rows of joinAsOf() have no values: 2 with an id that is not in the history (rows 1, 2), 1 without an id, 1 without a time, 1 without a value in `knownAt`.",
      "1 of 7 rows of joinAsOf() are after the log was read (2025-01-01T00:00:00.000Z). They have the values known then.",
    ]);
    history.joinAsOf([{ feature: 1, when: "2024-01-15" }], options);
    expect(history.diagnostics).toEqual([]);
  });

  it("hides changes that were recorded after knownAt", async () => {
    const late = [
      change(1, { new_value: "OPEN", created_at: "2024-01-01T00:00:00Z" }),
      change(2, { new_value: "CLOSED", created_at: "2024-03-01T00:00:00Z" }),
      change(3, { new_value: "BLOCKED", created_at: "2024-02-01T00:00:00Z" }),
    ];
    const history = await historyOf([feature(1)], late);
    const rows = [uuid(1), uuid(2), uuid(3)].map((known) => ({ feature: 1, when: "2024-02-15", known }));
    expect(history.joinAsOf(rows, { ...options, knownAt: "known" }).array("STATUS")).toEqual([
      "OPEN",
      "OPEN",
      "BLOCKED",
    ]);
    expect(history.joinAsOf(rows, { ...options, knownAt: uuid(2) }).array("STATUS")).toEqual(["OPEN", "OPEN", "OPEN"]);
    const random = await historyOf([feature(1)], [{ ...change(1), id: "9d9b1f0e-3c58-4a52-8f2c-0d7c3f1b2a44" }]);
    expect(() => random.joinAsOf(rows, { ...options, knownAt: "2024-02-15" })).toThrow(/is not a UUIDv7/);
  });

  it.each<[unknown, object, RegExp]>([
    [[{ feature: 1, when: "2024-01-15" }], { id: "featur" }, /`id` is "featur", which is not a column/],
    [[{ feature: 1, when: "2024-01-15" }], { time: "wehn" }, /Did you mean "when"\?/],
    [[{ feature: 1, when: "2024-01-15" }], { knownAt: "knwon" }, /`knownAt` is "knwon", which is not a column/],
    [[{ feature: 1, when: "2024-01-15" }], { knownAt: 5 }, /invalid knownAt: 5/],
    [[{ feature: 1, when: "2024-02-30" }], {}, /row 0 of the column "when": "2024-02-30" is not a time/],
    [[{ feature: 1, when: "2024-01-15T00:00:00" }], {}, /"2024-01-15T00:00:00" is not a time\. Append Z/],
    [[{ feature: 1, when: 1_704_931_200_000 }], {}, /microseconds since 1970 in a column whose name ends in _us/],
    [[{ feature: 1, when: new Date(Number.NaN) }], {}, /row 0 .* an invalid Date is not a time/],
    [[{ feature: 1, when: "2024-01-15" }], { columns: ["STATSU"] }, /Did you mean "STATUS"\?/],
    [[{ feature: 1, when: "2024-01-15" }], { states: true }, /Did you mean state\?/],
    ["rows", {}, /joinAsOf\(\): invalid table "rows"\. Pass an Arquero table/],
    [[1], {}, /the array of records contains a number/],
  ])("refuses %j with %j", async (table, given, message) => {
    const history = await small();
    expect(refusal(() => Reflect.apply(history.joinAsOf, history, [table, { ...options, ...given }]))).toMatch(message);
  });
});

describe("at, for random logs", () => {
  const points = fc.constantFrom<Date | string>(
    "2024-01-20",
    new Date("2024-03-01T12:00:00Z"),
    "2024-09-01T00:00:00Z",
    "2027-01-01T00:00:00Z",
    "2029-12-31",
  );
  const row = fc.record({ id: fc.constantFrom(1, 2, 3, 3, 99, null), when: random.times, known: points });

  /** The end of a time, up to which ages are counted. */
  const ageEnd = (world: World, time: Date | string) =>
    endOf(world, time) - Number(time instanceof Date || time.length > 10);

  /** The oracle of a world as known at a point or a change, or of the whole world. */
  const oracleAt = (world: World, point: Date | string | undefined, byId: string | undefined) => {
    const oracle = new Oracle(world);
    if (byId !== undefined) {
      const isKnown = ({ id }: PropertyChange) => id.toLowerCase() <= byId.toLowerCase();
      return oracle.knownAt(isKnown, 1000 * random.insertedMs(byId) + 999);
    }
    if (point === undefined) return oracle;
    const knownUs = endOf(world, point) - 1;
    return oracle.knownAt(({ id }) => random.insertedMs(id) <= Math.floor(knownUs / 1000), knownUs);
  };

  it("equals states() row by row, as of the knownAt of each row", async () => {
    await fc.assert(
      fc.asyncProperty(random.worlds, fc.array(row, { maxLength: 12 }), fc.nat(3), async (world, rows, how) => {
        const history = await random.historyOf(world);
        const byId = how === 3 ? (world.changes[0]?.id ?? "") : undefined;
        const known = rows[0]?.known ?? "2024-09-01T00:00:00Z";
        const table = rows.map((one) => (byId === undefined ? one : { ...one, known: byId }));
        const knownAt = [undefined, known, "known", "known"][how];
        if (how === 3 && byId === "") return;
        const options = {
          id: "id",
          time: "when",
          state: true,
          age: true,
          ...(knownAt === undefined ? {} : { knownAt }),
        };
        const joined = history.joinAsOf(table.length > 0 ? table : aq.table({ id: [], when: [], known: [] }), options);
        const found = rowsOf(joined);
        rows.forEach((asked, place) => {
          const point = how === 0 ? undefined : how === 1 ? known : asked.known;
          const states = oracleAt(world, point, byId).states(asked.when, true);
          for (const column of history.columns) {
            const cell = states.find((entry) => entry["id"] === asked.id && entry["column"] === column);
            const name = `${asked.id} ${String(asked.when)} ${column}`;
            expect(found[place]?.[column], name).toEqual(cell?.["value"] ?? null);
            expect(found[place]?.[`${column}.state`], name).toBe(cell?.["state"] ?? "unknown");
            const age = found[place]?.[`${column}.age_days`];
            const changedUs = cell?.["changed_at_us"] ?? null;
            if (changedUs === null) expect(age, name).toBeNull();
            else expect(Number(age), name).toBeCloseTo((ageEnd(world, asked.when) - Number(changedUs)) / 864e8, 9);
          }
        });
      }),
      { numRuns: randomRuns(500) },
    );
  });
});

describe("at, of many features with long logs", () => {
  it("equals states(), also with knownAt", async () => {
    const draw = randomNumbers(5);
    const below = (limit: number) => Math.floor(draw() * limit);
    const ids = Array.from({ length: 700 }, (_, n) => (n % 2 === 0 ? 3 * n + 1 : 1e9 * n));
    const minute = (n: number) => new Date(Date.UTC(2024, 0, 1, 0, n)).toISOString();
    const changes = Array.from({ length: 8000 }, (_, n) =>
      change(n, {
        // A few features have most of the changes.
        layer_feature_id: ids[below(2) === 0 ? below(20) : below(700)] ?? 1,
        new_value: below(10) === 0 ? null : below(300),
        created_at: minute(below(3000)),
      }),
    );
    const history = await historyOf(
      ids.map((id) => feature(id, { created_at: minute(below(2000)) })),
      changes,
    );
    const times = [...Array.from({ length: 6 }, () => minute(below(3000))), "2023-01-01T00:00:00Z", "9999-12-31"];
    const [late, early] = [history.knownAt(uuid(7999)), history.knownAt(uuid(4000))];
    const tables = times.map((time) =>
      [history, early, late].map((one) => cellsOf(one.states(time, { absent: "keep" }))),
    );
    const rows = Array.from({ length: 5000 }, () => ({ id: ids[below(ids.length)] ?? 1, time: below(times.length) }));
    const byTime = rows.toSorted((a, b) => (times[a.time] ?? "").localeCompare(times[b.time] ?? ""));
    const at = { id: "id", time: "when", columns: ["STATUS"], state: true };
    // Unordered, ordered, by feature, and too few rows to walk through all changes.
    for (const asked of [rows, byTime, rows.toSorted((a, b) => a.id - b.id), byTime.slice(0, 50)]) {
      const table = asked.map(({ id, time }, row) => ({ id, when: times[time], known: uuid(row % 2 ? 4000 : 7999) }));
      const options = [at, { ...at, knownAt: uuid(4000) }, { ...at, knownAt: "known" }];
      const [now = [], then = [], each = []] = options.map((one) => joinedCells(history.joinAsOf(table, one)));
      const early4000 = joinedCells(early.joinAsOf(table, at));
      const expected = (of: (row: number) => number) =>
        asked.map(({ id, time }, row) => tables[time]?.[of(row)]?.get(id));
      expect(now).toEqual(expected(() => 0));
      expect(then).toEqual(expected(() => 1));
      expect(early4000).toEqual(expected(() => 1));
      expect(each).toEqual(expected((row) => 2 - (row % 2)));
    }
  });

  it("returns the same values one by one and all at once", async () => {
    const history = await small();
    const table = aq.table({ feature: [1, 2, 9, 3], when: ["2024-01-15", "2024-01-15", "2024-01-15", "2024-07-01"] });
    const joined = history.joinAsOf(table, { ...options, columns: ["STATUS"] });
    const expected = ["OPEN", "PLANNED", null, "NEW"];
    expect(joined.array("STATUS")).toEqual(expected);
    expect([0, 1, 2, 3].map((row) => joined.get("STATUS", row) as unknown)).toEqual(expected);
    expect(joined.orderby(aq.desc("when")).array("STATUS")).toEqual(["NEW", "OPEN", "PLANNED", null]);
    expect([...joined.array("feature", Float64Array)]).toEqual([1, 2, 9, 3]);
    // Columns of Arrow return other arrays.
    const arrow = aq.fromArrow(aq.toArrowIPC(aq.table({ feature: [1, 2], when: ["2024-01-15", "2024-01-15"] })));
    expect(history.joinAsOf(arrow, options).array("feature")).toEqual([1, 2]);
  });
});

/** Value and state of each row. */
function joinedCells(table: aq.ColumnTable): readonly (readonly unknown[])[] {
  const states = table.array("STATUS.state");
  return Array.from(table.array("STATUS"), (value, row) => [value, states[row]]);
}

/** The same of each feature, by id. */
function cellsOf(states: aq.ColumnTable): ReadonlyMap<unknown, readonly unknown[]> {
  return new Map(rowsOf(states).map(({ id, value, state }) => [id, [value, state]]));
}
