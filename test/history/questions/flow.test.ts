import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ArgumentError } from "../../../src/core/errors.js";
import type { FlowOptions } from "../../../src/history/questions/flow.js";
import { resolveTimeLimit } from "../../../src/history/time/valid-time.js";
import { fromChanges } from "../../../src/source/from-changes.js";
import { randomRuns } from "../../support/random-runs.js";
import { change, feature } from "../../support/records.js";
import { historyOf as historyOfWorld, worlds } from "../random-world.js";
import { historyOf, rowsOf } from "../small-history.js";

const day = (text: string) => new Date(`2024-${text}T00:00:00Z`);
const created = (id: number, at: string, properties = {}) =>
  feature(id, { created_at: `2024-${at}T00:00:00Z`, properties });
const status = (n: number, layer_feature_id: number, at: string, new_value: unknown, property_key = "STATUS") =>
  change(n, { layer_feature_id, created_at: `2024-${at}T00:00:00Z`, new_value, property_key });

/** 1 January 2024 was a Monday. */
const features = [
  created(1, "01-01", { BLOCK: "A", DUE: "2024-01-09" }),
  created(2, "01-02", { BLOCK: "A", DUE: "2024-01-09" }),
  created(3, "01-03", { BLOCK: "B" }),
  created(4, "01-04", { BLOCK: "B", STATUS: "CLOSED" }),
  created(5, "01-10", { BLOCK: "B", STATUS: "OPEN" }),
];
const log = [
  // Worked at, blocked, back to open, done, reopened, done.
  status(1, 1, "01-01", "OPEN"),
  status(2, 1, "01-02", "WORK"),
  status(3, 1, "01-04", "OPEN"),
  status(4, 1, "01-09", "CLOSED"),
  status(5, 1, "01-12", "OPEN"),
  status(6, 1, "01-13", "WORK"),
  status(7, 1, "01-23", "CLOSED"),
  // Its status is not known before work.
  status(8, 2, "01-05", "WORK"),
  status(9, 2, "01-10", "CLOSED"),
  // Done without being seen to start.
  status(10, 3, "01-17", "CLOSED"),
];
const done = "CLOSED";
const until = "2024-01-24";

describe("flow", () => {
  it("counts what arrives, is reopened and done week by week", async () => {
    const history = await historyOf(features, log);
    const table = history.flow("STATUS", { done, start: "WORK", until });
    expect(table.columnNames()).toEqual([
      ...["from", "to", "arrivals", "reopened", "started", "throughput", "net_flow"],
      ...["open", "in_progress", "unknown", "is_whole"],
    ]);
    const rows = rowsOf(table).map((row) => Object.values(row));
    expect(rows).toEqual([
      ["2024-01-01", "2024-01-08", 3, 0, 2, 0, 3, 3, 2, 1, true],
      ["2024-01-08", "2024-01-15", 1, 1, 1, 2, 0, 3, 1, 1, true],
      ["2024-01-15", "2024-01-22", 0, 0, 0, 1, -1, 2, 1, 0, true],
      ["2024-01-22", "2024-01-29", 0, 0, 0, 1, -1, 1, 0, 0, false],
    ]);
  });

  it("tells working days by a calendar", async () => {
    const history = await historyOf(features, log);
    const calendar = { timeZone: "UTC", hours: "00:00-24:00" };
    const table = history.flow("STATUS", { done, start: ["WORK"], until, calendar });
    // From Tuesday the 2nd to Tuesday and Wednesday of the week after, from Saturday the 13th to Tuesday the 23rd.
    expect(rowsOf(table.cycles).map(({ id, cycle_days }) => [id, cycle_days])).toEqual([
      [1, 5],
      [2, 6],
      [3, null],
      [1, 6],
    ]);
  });

  it("tells how long each took, with percentiles", async () => {
    const history = await historyOf(features, log);
    const table = history.flow("STATUS", { done, start: ["WORK"], until, due: "DUE" });
    expect(rowsOf(table.cycles)).toEqual([
      {
        ...{ id: 1, visible_id: "F-1", arrived_at: day("01-01"), started_at: day("01-02"), done_at: day("01-09") },
        ...{ cycle_days: 7, lead_days: 8, start_known: true, times_done: 1, is_reopened: true },
        ...{ due: "2024-01-09", is_met: true },
      },
      {
        ...{ id: 2, visible_id: "F-2", arrived_at: day("01-02"), started_at: day("01-02"), done_at: day("01-10") },
        ...{ cycle_days: 8, lead_days: 8, start_known: false, times_done: 1, is_reopened: false },
        ...{ due: "2024-01-09", is_met: false },
      },
      {
        ...{ id: 3, visible_id: "F-3", arrived_at: day("01-03"), started_at: null, done_at: day("01-17") },
        ...{ cycle_days: null, lead_days: 14, start_known: false, times_done: 1, is_reopened: false },
        ...{ due: null, is_met: null },
      },
      {
        ...{ id: 1, visible_id: "F-1", arrived_at: day("01-12"), started_at: day("01-13"), done_at: day("01-23") },
        ...{ cycle_days: 10, lead_days: 11, start_known: true, times_done: 2, is_reopened: false },
        ...{ due: "2024-01-09", is_met: false },
      },
    ]);
    expect(table.array("met")).toEqual([0, 1, 0, 0]);
    expect(table.array("missed")).toEqual([0, 1, 0, 1]);
    expect(table.array("no_due")).toEqual([0, 0, 1, 0]);
    const [all] = rowsOf(table.percentiles);
    expect(all).toMatchObject({ done: 4, cycles: 3, p50_days: 8 });
    expect(all?.["mean_days"]).toBeCloseTo(25 / 3, 12);
    expect(all?.["p85_days"]).toBeCloseTo(9.4, 12);
    expect(all?.["p95_days"]).toBeCloseTo(9.8, 12);
    expect(table.findings).toMatchObject([
      { code: "late-entry", count: 1 },
      {
        code: "unknown-beginning",
        count: 1,
        message: expect.stringMatching(/^1 of 4 that were done .* without being seen to start\.$/),
      },
      { code: "done-at-first", count: 1 },
    ]);
    const known = history.flow("STATUS", { done, start: "WORK", until, unknown: "drop" });
    expect(known.cycles.array("cycle_days")).toEqual([7, null, null, 10]);
  });

  it("begins with the arrival without a start, and lists what is in progress", async () => {
    const history = await historyOf(features, log);
    const table = history.flow("STATUS", { done, until: "2024-01-14" });
    expect(table.array("started")).toEqual([3, 2]);
    expect(table.array("in_progress")).toEqual(table.array("open"));
    expect(rowsOf(table.work)).toEqual([
      {
        ...{ id: 3, visible_id: "F-3", value: null, started_at: day("01-03"), age_days: 12, start_known: false },
      },
      { id: 5, visible_id: "F-5", value: "OPEN", started_at: day("01-10"), age_days: 5, start_known: true },
      { id: 1, visible_id: "F-1", value: "WORK", started_at: day("01-12"), age_days: 3, start_known: true },
    ]);
  });

  it("tells how long what was begun was blocked", async () => {
    const later = [status(11, 5, "01-14", "WORK"), status(12, 5, "01-20", "OPEN"), status(13, 5, "01-22", "WORK")];
    const history = await historyOf(features, [...log, ...later]);
    const table = history.flow("STATUS", { done, start: "WORK", blocked: ["OPEN"], until });
    expect(table.cycles.columnNames().slice(5, 9)).toEqual(["cycle_days", "lead_days", "blocked_days", "start_known"]);
    // From the 4th to the 9th; not seen; not begun; nothing after the reopening, since it began later.
    expect(table.cycles.array("blocked_days")).toEqual([5, 0, null, 0]);
    expect(rowsOf(table.work.select("id", "age_days", "blocked_days"))).toEqual([
      { id: 5, age_days: 15, blocked_days: 2 },
    ]);
    const [all] = rowsOf(table.percentiles);
    expect(all?.["mean_blocked_days"]).toBeCloseTo(5 / 3, 12);
    expect(all?.["blocked_share"]).toBeCloseTo(5 / 25, 12);
    // The 6th and 7th were a weekend.
    const calendar = { timeZone: "UTC", hours: "00:00-24:00" };
    const working = history.flow("STATUS", { done, start: "WORK", blocked: "OPEN", until, calendar });
    expect(working.cycles.array("blocked_days")).toEqual([3, 0, null, 0]);
    // What goes on is blocked up to the end of the day until which is asked.
    const early = history.flow("STATUS", { done, start: "WORK", blocked: "OPEN", until: "2024-01-06" });
    expect(early.work.array("blocked_days")).toEqual([3, 0]);
    const without = history.flow("STATUS", { done, until, unknown: "drop", blocked: "WORK" });
    expect(without.cycles.array("blocked_days")).toEqual([2, null, null, 10]);
  });

  it("groups by several columns, each interval with each group", async () => {
    const history = await historyOf(features, log);
    const table = history.flow("STATUS", { done, until, every: "month", by: ["BLOCK", "dataset_id"] });
    expect(
      rowsOf(table).map((row) => [row["from"], row["BLOCK"], row["arrivals"], row["throughput"], row["open"]]),
    ).toEqual([
      ["2024-01-01", "A", 2, 3, 0],
      ["2024-01-01", "B", 2, 1, 1],
    ]);
    expect(table.percentiles.array("BLOCK")).toEqual(["A", "B"]);
    expect(table.cycles.columnNames().slice(0, 4)).toEqual(["id", "visible_id", "BLOCK", "dataset_id"]);
    expect(table.work.array("BLOCK")).toEqual(["B"]);
  });

  it("has intervals of any length from where they are asked for", async () => {
    const history = await historyOf(features, log, { timeZone: "Europe/Berlin" });
    const from = (options: Partial<FlowOptions>) => history.flow("STATUS", { done, until, ...options }).array("from");
    expect(from({ every: "P14D" })).toEqual(["2024-01-01", "2024-01-15"]);
    expect(from({ every: "quarter" })).toEqual(["2024-01-01"]);
    expect(from({ every: "year", from: "2023-07-01" })).toEqual(["2023-07-01"]);
    expect(from({ every: "day", from: "2024-01-22" })).toEqual(["2024-01-22", "2024-01-23", "2024-01-24"]);
    expect(from({ every: "PT36H", from: "2024-01-22T00:00:00Z" })).toEqual([
      "2024-01-22T00:00:00Z",
      "2024-01-23T12:00:00Z",
    ]);
    // What came before the first interval is open, and no arrival.
    const late = history.flow("STATUS", { done, until, from: "2024-01-15" });
    expect([late.array("arrivals"), late.array("open"), late.cycles.numRows()]).toEqual([[0, 0], [2, 1], 2]);
  });

  it("groups by a time, each by itself", async () => {
    const history = await historyOf(features.slice(0, 3), log);
    const table = history.flow("STATUS", { done, until, by: "created_at" });
    expect(table.percentiles.array("created_at")).toEqual([day("01-01"), day("01-02"), day("01-03")]);
  });

  it("has what nobody knows the creation of arrive with its first change", async () => {
    const rows = [
      { id: "a", value: "OPEN", time: "2024-01-02T00:00:00Z" },
      { id: "a", value: "CLOSED", time: "2024-01-05T00:00:00Z" },
      { id: "b", value: "OPEN", time: "2024-01-09T00:00:00Z" },
      { id: "c", value: "CLOSED", time: "2024-01-09T00:00:00Z" },
    ];
    const history = await fromChanges(rows, {
      ...{ id: "id", property: "STATUS", value: "value", time: "time", readAt: new Date("2024-01-12T00:00:00Z") },
    });
    const table = history.flow("STATUS", { done });
    expect(rowsOf(table.select("from", "arrivals", "throughput", "open", "unknown"))).toEqual([
      { from: "2024-01-01", arrivals: 1, throughput: 1, open: 0, unknown: 0 },
      { from: "2024-01-08", arrivals: 1, throughput: 0, open: 1, unknown: 0 },
    ]);
    expect(rowsOf(table.cycles.select("id", "cycle_days", "lead_days", "start_known"))).toEqual([
      { id: "a", cycle_days: 3, lead_days: 3, start_known: false },
    ]);
    expect(table.findings.map(({ code }) => code)).toEqual(["late-entry", "done-at-first"]);
    const dropped = history.flow("STATUS", { done, unknown: "drop" });
    expect(dropped.cycles.array("cycle_days")).toEqual([null]);
    const old = history.ageing("STATUS", { open: "OPEN" });
    expect(rowsOf(old.items.select("id", "age_days", "since_known"))).toEqual([
      { id: "b", age_days: 3, since_known: false },
    ]);
    expect(history.ageing("STATUS", { open: "OPEN", at: "2024-01-01" }).array("bucket")).toHaveLength(4);
  });

  it.each<[object | undefined, string]>([
    [undefined, "done names no value"],
    [{ done: "CLOSE" }, 'no feature ever had "CLOSE"'],
    [{ done, start: "WRK" }, 'no feature ever had "WRK"'],
    [{ done, start: "CLOSED" }, "is in done and in start"],
    [{ done, blocked: [] }, "blocked names no value"],
    [{ done, blocked: "OPNE" }, 'no feature ever had "OPNE"'],
    [{ done, blocked: ["OPEN", "CLOSED"] }, "is in done and in blocked"],
    [{ done, every: "fortnight" }, "is no step between dates"],
    [{ done, every: "PT6H" }, "Calendar dates cannot be PT6H apart"],
    [{ done, from: "2026-01-01" }, "after their end"],
    [{ done, by: "BLOK" }, "There is no property column"],
    [{ done, due: "DEU" }, "There is no property column"],
    [{ done, opne: 1 }, "has no option"],
  ])("refuses %j", async (options, message) => {
    const history = await historyOf(features, log);
    const ask = () => history.flow("STATUS", options as never as FlowOptions);
    expect(ask).toThrow(ArgumentError);
    expect(ask).toThrow(message);
  });

  it("says what intervals() say, of random histories", async () => {
    let compared = 0;
    await fc.assert(
      fc.asyncProperty(worlds, fc.nat(), fc.nat(), fc.nat(), async (world, one, other, third) => {
        const history = await historyOfWorld(world);
        if (!history.columns.includes("STATUS")) return;
        const spans = rowsOf(history.intervals("STATUS"));
        const had = [...new Set(spans.flatMap(({ state, value }) => (state === "unknown" ? [] : [value])))];
        const values = had.filter((value) => value === null || typeof value !== "object");
        if (values.length < 2) return;
        const doneSet = [values[one % values.length]];
        const start = values.filter((value, place) => !doneSet.includes(value) && place % 2 === other % 2);
        if (start.length === 0) return;
        const others = values.filter((value) => !doneSet.includes(value));
        const blocked = others.filter((_, place) => place % 3 !== third % 3);
        const options = { done: doneSet, start, every: "month", from: "2023-12-01", until: "2034-12-31" };
        const table = history.flow("STATUS", { ...options, ...(blocked.length === 0 ? {} : { blocked }) });
        const { endUs } = resolveTimeLimit(options.until, history.timeZone);
        const naive = naiveFlow(spans, { done: doneSet, start, blocked, endUs });
        const told = blocked.length === 0 ? [] : ["blocked_days"];
        const naiveRows =
          blocked.length === 0 ? naive.cycles.map(({ blocked_days: _, ...rest }) => rest) : naive.cycles;
        const rows = rowsOf(table.cycles.select("id", "lead_days", "cycle_days", ...told, "start_known", "times_done"));
        const order = (a: object, b: object) => JSON.stringify(a).localeCompare(JSON.stringify(b));
        expect([...rows].sort(order)).toEqual([...naiveRows].sort(order));
        if (blocked.length > 0) {
          const waiting = rowsOf(table.work.select("id", "blocked_days"));
          expect([...waiting].sort(order)).toEqual([...naive.work].sort(order));
          const [first, ...rest] = blocked;
          const sum = (name: "cycles" | "work", asked: readonly unknown[]) => {
            if (asked.length === 0) return [];
            return Array.from(
              history.flow("STATUS", { ...options, blocked: asked })[name].array("blocked_days"),
              Number,
            );
          };
          for (const name of ["cycles", "work"] as const) {
            const [own, others] = [sum(name, [first]), sum(name, rest)];
            const parts = own.map((days, place) => expect.closeTo(days + (others[place] ?? 0), 9) as unknown);
            expect(sum(name, blocked)).toEqual(parts);
          }
          const longest = Array.from(table.cycles.array("cycle_days"), Number);
          const waits = Array.from(table.cycles.array("blocked_days"), Number);
          expect(waits.filter((days, place) => days > (longest[place] as number) + 1e-9)).toEqual([]);
        }
        const sum = (name: string) => Array.from(table.array(name), Number).reduce((all, one) => all + one, 0);
        expect([sum("arrivals"), sum("reopened"), sum("throughput")]).toEqual([
          naive.arrivals,
          naive.reopened,
          naive.cycles.length,
        ]);
        const open = Array.from(table.array("open"), Number);
        const net = Array.from(table.array("net_flow"), Number);
        expect(open).toEqual(net.map((_, place) => net.slice(0, place + 1).reduce((all, one) => all + one, 0)));
        expect(table.work.numRows()).toBe(table.array("in_progress").at(-1));
        compared += 1;
      }),
      { numRuns: randomRuns(250) },
    );
    expect(compared).toBeGreaterThan(randomRuns(250) / 8);
  });
});

interface Naive {
  readonly done: readonly unknown[];
  readonly start: readonly unknown[];
  readonly blocked: readonly unknown[];
  readonly endUs: number;
}

/** Walks the intervals of each feature, one value after the other. */
function naiveFlow(spans: readonly Readonly<Record<string, unknown>>[], { done, start, blocked, endUs }: Naive) {
  const cycles: Record<string, unknown>[] = [];
  const work: object[] = [];
  let [arrivals, reopened] = [0, 0];
  for (const id of new Set(spans.map((row) => row["id"]))) {
    const own = spans.filter((row) => row["id"] === id);
    const isIn = (set: readonly unknown[], row: Readonly<Record<string, unknown>> | undefined) =>
      row?.["state"] !== "unknown" && set.some((value) => value === row?.["value"]);
    const usOf = (place: number) => Number(own[place]?.["valid_from_us"] ?? endUs);
    let times = isIn(done, own[0]) ? 1 : 0;
    for (let place = 0; place < own.length; place += 1) {
      if (isIn(done, own[place]) || (place > 0 && !isIn(done, own[place - 1]))) continue;
      if (times === 0) arrivals += 1;
      else reopened += 1;
      times += 1;
      const found = own.findIndex((row, later) => later > place && isIn(done, row));
      const end = found < 0 ? own.length : found;
      const begin = own.findIndex((row, later) => later >= place && later < end && isIn(start, row));
      const isLate = begin > 0 && own[begin - 1]?.["state"] === "unknown";
      const days = (from: number, to: number) => (usOf(to) - usOf(from)) / 86_400_000_000;
      const places = Array.from({ length: end }, (_, at) => at).filter((at) => at >= begin && isIn(blocked, own[at]));
      const waited = places.reduce((sum, at) => sum + usOf(at + 1) - usOf(at), 0);
      const blocked_days = begin < 0 ? null : waited / 86_400_000_000;
      if (found < 0) {
        if (begin >= 0) work.push({ id, blocked_days });
        continue;
      }
      cycles.push({
        id,
        lead_days: days(place, end),
        cycle_days: begin < 0 ? null : days(isLate ? place : begin, end),
        blocked_days,
        start_known: begin >= 0 && !isLate,
        times_done: times,
      });
    }
  }
  return { cycles, work, arrivals, reopened };
}
