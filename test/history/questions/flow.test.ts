import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { FlowOptions } from "../../../src/history/questions/flow.js";
import { resolveTimeLimit } from "../../../src/history/time/valid-time.js";
import { fromChanges } from "../../../src/source/from-changes.js";
import { randomRuns } from "../../support/random-runs.js";
import { feature } from "../../support/records.js";
import { refusal } from "../../support/refusal.js";
import { historyOf as historyOfWorld, worlds } from "../random-world.js";
import { historyOf, rowsOf, status } from "../small-history.js";

const day = (text: string) => new Date(`2024-${text}T00:00:00Z`);
const created = (id: number, at: string, properties = {}) =>
  feature(id, { created_at: `2024-${at}T00:00:00Z`, properties });

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
  // The status before work is unknown.
  status(8, 2, "01-05", "WORK"),
  status(9, 2, "01-10", "CLOSED"),
  // Done without being seen to start.
  status(10, 3, "01-17", "CLOSED"),
];
const done = "CLOSED";
const until = "2024-01-24";

describe("flow", () => {
  it("counts arrivals, reopenings and throughput by week", async () => {
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

  it("has cycle times in working days of a calendar", async () => {
    const history = await historyOf(features, log);
    const calendar = { timeZone: "UTC", hours: "00:00-24:00" };
    const table = history.flow("STATUS", { done, start: ["WORK"], until, calendar });
    // From Tuesday the 2nd to Tuesday and Wednesday of the week after, from Saturday the 13th to Tuesday the 23rd.
    expect(table.cycles.array("cycle_days")).toEqual([5, 6, null, 6]);
  });

  it("lists cycle and lead times, with percentiles", async () => {
    const history = await historyOf(features, log);
    const table = history.flow("STATUS", { done, start: ["WORK"], until, due: "DUE" });
    expect(table.cycles.object(0)).toEqual({
      ...{ id: 1, visible_id: "F-1", arrived_at: day("01-01"), started_at: day("01-02"), done_at: day("01-09") },
      ...{ cycle_days: 7, lead_days: 8, start_known: true, times_done: 1, is_reopened: true },
      ...{ due: "2024-01-09", is_met: true },
    });
    expect(rowsOf(table.cycles).slice(1)).toMatchObject([
      { id: 2, started_at: day("01-02"), cycle_days: 8, start_known: false, is_reopened: false, is_met: false },
      { id: 3, started_at: null, cycle_days: null, lead_days: 14, start_known: false, due: null, is_met: null },
      { id: 1, arrived_at: day("01-12"), cycle_days: 10, lead_days: 11, times_done: 2, is_met: false },
    ]);
    expect(table.array("met")).toEqual([0, 1, 0, 0]);
    expect(table.array("missed")).toEqual([0, 1, 0, 1]);
    expect(table.array("no_due")).toEqual([0, 0, 1, 0]);
    const [all] = rowsOf(table.percentiles);
    expect(all).toMatchObject({ done: 4, cycles: 3, p50_days: 8 });
    expect(all?.["mean_days"]).toBeCloseTo(25 / 3, 12);
    expect(all?.["p85_days"]).toBeCloseTo(9.4, 12);
    expect(all?.["p95_days"]).toBeCloseTo(9.8, 12);
    expect(table.diagnostics).toMatchObject([
      { code: "start-unknown", count: 1 },
      {
        code: "start-unknown-dropped",
        count: 1,
        message: expect.stringMatching(/^1 of 4 finished cycles .* without a logged start\.$/),
      },
      { code: "feature-done-at-start", count: 1 },
    ]);
    const known = history.flow("STATUS", { done, start: "WORK", until, unknownStart: "drop" });
    expect(known.cycles.array("cycle_days")).toEqual([7, null, null, 10]);
  });

  it("starts at the arrival by default, and lists work in progress", async () => {
    const history = await historyOf(features, log);
    const table = history.flow("STATUS", { done, until: "2024-01-14" });
    expect(table.array("started")).toEqual([3, 2]);
    expect(table.array("in_progress")).toEqual(table.array("open"));
    expect(rowsOf(table.work)).toEqual([
      { id: 3, visible_id: "F-3", value: null, started_at: day("01-03"), age_days: 12, start_known: false },
      { id: 5, visible_id: "F-5", value: "OPEN", started_at: day("01-10"), age_days: 5, start_known: true },
      { id: 1, visible_id: "F-1", value: "WORK", started_at: day("01-12"), age_days: 3, start_known: true },
    ]);
  });

  it("has the blocked days of cycles and work", async () => {
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
    // Open work is blocked until the end of the last day.
    const early = history.flow("STATUS", { done, start: "WORK", blocked: "OPEN", until: "2024-01-06" });
    expect(early.work.array("blocked_days")).toEqual([3, 0]);
    const without = history.flow("STATUS", { done, until, unknownStart: "drop", blocked: "WORK" });
    expect(without.cycles.array("blocked_days")).toEqual([2, null, null, 10]);
  });

  it("groups by several columns, with each group in each interval", async () => {
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

  it("has intervals of any length from any date", async () => {
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
    // Features from before the first interval are open, but not arrivals.
    const late = history.flow("STATUS", { done, until, from: "2024-01-15" });
    expect([late.array("arrivals"), late.array("open"), late.cycles.numRows()]).toEqual([[0, 0], [2, 1], 2]);
  });

  it("groups by a timestamp", async () => {
    const history = await historyOf(features.slice(0, 3), log);
    const table = history.flow("STATUS", { done, until, by: "created_at" });
    expect(table.percentiles.array("created_at")).toEqual([day("01-01"), day("01-02"), day("01-03")]);
  });

  it("counts features without a creation time from their first change", async () => {
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
    expect(table.diagnostics.map(({ code }) => code)).toEqual(["start-unknown", "feature-done-at-start"]);
    const dropped = history.flow("STATUS", { done, unknownStart: "drop" });
    expect(dropped.cycles.array("cycle_days")).toEqual([null]);
    const old = history.aging("STATUS", { open: "OPEN" });
    expect(rowsOf(old.features.select("id", "age_days", "since_known"))).toEqual([
      { id: "b", age_days: 3, since_known: false },
    ]);
    expect(history.aging("STATUS", { open: "OPEN", at: "2024-01-01" }).array("bucket")).toHaveLength(4);
  });

  it.each<[object | undefined, string]>([
    [undefined, "`done` is empty"],
    [{ done: "CLOSE" }, 'no feature ever had "CLOSE"'],
    [{ done, start: "WRK" }, 'no feature ever had "WRK"'],
    [{ done, start: "CLOSED" }, "is in both `done` and `start`"],
    [{ done, blocked: [] }, "`blocked` is empty"],
    [{ done, blocked: "OPNE" }, 'no feature ever had "OPNE"'],
    [{ done, blocked: ["OPEN", "CLOSED"] }, "is in both `done` and `blocked`"],
    [{ done, every: "fortnight" }, 'invalid step "fortnight" in `every`'],
    [{ done, every: "PT6H" }, "`every` is PT6H, but `from` is a calendar date"],
    [{ done, from: "2026-01-01" }, "after the end of the last one"],
    [{ done, by: "BLOK" }, "unknown property column"],
    [{ done, due: "DEU" }, "unknown property column"],
    [{ done, opne: 1 }, "has no option"],
  ])("refuses %j", async (options, message) => {
    const history = await historyOf(features, log);
    expect(refusal(() => history.flow("STATUS", options as never as FlowOptions))).toContain(message);
  });

  it("agrees with intervals(), for random histories", async () => {
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
