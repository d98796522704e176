import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { provenanceOf } from "../../../src/core/provenance.js";
import type { AgingOptions } from "../../../src/history/questions/aging.js";
import { resolveTimeLimit } from "../../../src/history/time/valid-time.js";
import { randomRuns } from "../../support/random-runs.js";
import { feature } from "../../support/records.js";
import { refusal } from "../../support/refusal.js";
import { historyOf as historyOfWorld, times, worlds } from "../random-world.js";
import { historyOf, rowsOf, status } from "../small-history.js";

const created = (id: number, created_at: string, properties = {}) => feature(id, { created_at, properties });

/** Five tickets: open, reopened, first known when blocked, closed, and never changed. */
const features = [
  created(1, "2024-01-01T00:00:00Z", { BLOCK: "A", DUE: "2024-03-01" }),
  created(2, "2024-01-01T00:00:00Z", { BLOCK: "B", DUE: "2024-03-30" }),
  created(3, "2024-01-01T00:00:00Z", { BLOCK: "A", DUE: "soon" }),
  created(4, "2024-01-01T00:00:00Z", { BLOCK: "A" }),
  created(5, "2024-03-20T00:00:00Z", { BLOCK: "B", STATUS: "OPEN" }),
];
const log = [
  status(1, 1, "01-01", "OPEN"),
  status(2, 1, "02-01", "BLOCKED"),
  status(3, 2, "01-01", "OPEN"),
  status(4, 2, "02-01", "CLOSED"),
  status(5, 2, "03-01", "OPEN"),
  status(6, 3, "03-24", "BLOCKED"),
  status(7, 4, "01-01", "OPEN"),
  status(8, 4, "03-31", "CLOSED"),
  status(9, 1, "03-15", "2024-04-15", "DUE"),
];
const open = ["OPEN", "BLOCKED"];

describe("aging", () => {
  it("counts working days by a calendar", async () => {
    const history = await historyOf(features, log);
    const calendar = { timeZone: "UTC", hours: "00:00-24:00", holidays: ["2024-03-25"] } as const;
    const table = history.aging("STATUS", { open, at: "2024-03-31T00:00:00Z", buckets: [10], calendar });
    // From Wednesday the 20th to Sunday the 31st: 3 and 5 weekdays, one of them a holiday.
    const ages = rowsOf(table.features).map(({ id, age_days, bucket }) => ({ id, age_days, bucket }));
    expect(ages.find(({ id }) => id === 5)).toEqual({ id: 5, age_days: 7, bucket: "0–10" });
    expect(ages.find(({ id }) => id === 2)).toEqual({ id: 2, age_days: 20, bucket: ">10" });
  });

  it("counts open items by age, and lists the oldest first", async () => {
    const history = await historyOf(features, log);
    const table = history.aging("STATUS", { open, at: "2024-03-31T00:00:00Z" });
    expect(rowsOf(table)).toEqual([
      { date: "2024-03-31T00:00:00Z", bucket: "0–7", from_days: 0, to_days: 7, count: 0 },
      { date: "2024-03-31T00:00:00Z", bucket: ">7–30", from_days: 7, to_days: 30, count: 2 },
      { date: "2024-03-31T00:00:00Z", bucket: ">30–90", from_days: 30, to_days: 90, count: 2 },
      { date: "2024-03-31T00:00:00Z", bucket: ">90", from_days: 90, to_days: null, count: 0 },
    ]);
    expect(rowsOf(table.features)).toMatchObject([
      { id: 1, visible_id: "F-1", value: "BLOCKED", age_days: 90, bucket: ">30–90", since_known: true },
      { id: 3, open_since: new Date("2024-01-01T00:00:00Z"), age_days: 90, bucket: ">30–90", since_known: false },
      { id: 2, open_since: new Date("2024-03-01T00:00:00Z"), age_days: 30, bucket: ">7–30", since_known: true },
      { id: 5, value: "OPEN", open_since: new Date("2024-03-20T00:00:00Z"), age_days: 11, since_known: true },
    ]);
    expect(table.diagnostics).toMatchObject([
      {
        code: "start-unknown",
        count: 1,
        message: expect.stringContaining("1 of 4 open items before the first change"),
      },
    ]);
    expect(provenanceOf(table.features)).toEqual(history.provenance);
  });

  it("assigns fractional days to buckets", async () => {
    const history = await historyOf(features, log);
    const counts = (at: string, buckets: number[]) => {
      const table = history.aging("STATUS", { open, at, buckets });
      return Object.fromEntries(rowsOf(table).map(({ bucket, count }) => [bucket, count]));
    };
    expect(counts("2024-03-31T00:00:00Z", [30])).toEqual({ "0–30": 2, ">30": 2 });
    expect(counts("2024-03-31T00:00:00.001Z", [30])).toEqual({ "0–30": 1, ">30": 3 });
    expect(counts("2024-03-31T00:00:00Z", [10.5, 11.5])).toEqual({ "0–10.5": 0, ">10.5–11.5": 1, ">11.5": 3 });
  });

  it("counts in buckets by several columns and dates", async () => {
    const history = await historyOf(features, log);
    const table = history.aging("STATUS", {
      open,
      buckets: [0.5, 6],
      by: ["BLOCK", "dataset_id"],
      dates: ["2024-03-26", "2024-01-01"],
    });
    expect(table.columnNames()).toEqual(["date", "BLOCK", "dataset_id", "bucket", "from_days", "to_days", "count"]);
    expect(table.numRows()).toBe(13);
    const found = rowsOf(table).filter(({ count }) => count !== 0);
    expect(found.map((row) => [row["date"], row["BLOCK"], row["bucket"], row["count"]])).toEqual([
      ["2024-03-26", "A", ">6", 3],
      ["2024-03-26", "B", ">6", 2],
      ["2024-01-01", "A", ">0.5–6", 2],
      ["2024-01-01", "A", "unknown status", 1],
      ["2024-01-01", "B", ">0.5–6", 1],
    ]);
    expect(table.features.numRows()).toBe(5);
  });

  it("counts overdue items by their due dates at that time", async () => {
    const history = await historyOf(features, log);
    const at = (date: string) => {
      const table = history.aging("STATUS", { open, buckets: [1000], due: "DUE", at: date });
      return [table.get("count", 0), table.get("overdue", 0), table.get("no_due", 0)];
    };
    // As of 10 March nothing is due in ticket 1: its first due date is entered on the 15th.
    expect(at("2024-03-10")).toEqual([3, 0, 2]);
    expect(at("2024-03-30")).toEqual([5, 0, 3]);
    expect(at("2024-04-15")).toEqual([4, 1, 2]);
    expect(at("2024-04-16")).toEqual([4, 2, 2]);
    const table = history.aging("STATUS", { open, due: "DUE", at: "2024-04-16" });
    expect(rowsOf(table.features.select("id", "due", "overdue_days"))).toEqual([
      { id: 1, due: "2024-04-15", overdue_days: 1 },
      { id: 3, due: null, overdue_days: null },
      { id: 2, due: "2024-03-30", overdue_days: 17 },
      { id: 5, due: null, overdue_days: null },
    ]);
    expect(table.diagnostics).toContainEqual(
      expect.objectContaining({
        code: "value-type-mismatch",
        count: 1,
        message: expect.stringContaining("a string of 4 characters"),
      }),
    );
  });

  it("has the days for which items were blocked", async () => {
    const history = await historyOf(features, log);
    const at = (date: string, more: Partial<AgingOptions> = {}) =>
      rowsOf(history.aging("STATUS", { open, blocked: "BLOCKED", at: date, ...more }).features).map((row) => {
        return [row["id"], row["blocked_days"]];
      });
    // The status of the third is unknown before the 24th.
    expect(at("2024-03-31T00:00:00Z")).toEqual([
      [1, 59],
      [3, 7],
      [2, 0],
      [5, 0],
    ]);
    expect(at("2024-02-01")[0]).toEqual([1, 1]);
    expect(at("2024-03-31T00:00:00Z", { unknownStart: "drop" })[0]).toEqual([3, null]);
    // From Sunday the 24th to Sunday the 31st.
    expect(at("2024-03-31T00:00:00Z", { calendar: { timeZone: "UTC" } })[1]).toEqual([3, 5]);
    const table = history.aging("STATUS", { open, blocked: "BLOCKED" });
    expect(table.features.columnNames().slice(5, 8)).toEqual(["bucket", "blocked_days", "since_known"]);
  });

  it("counts unknown ages and statuses separately", async () => {
    const history = await historyOf(features, log);
    const table = history.aging("STATUS", { open, at: "2024-03-31", unknownStart: "drop" });
    expect(rowsOf(table).at(-1)).toMatchObject({ bucket: "unknown age", from_days: null, to_days: null, count: 1 });
    expect(rowsOf(table.features)[0]).toMatchObject({ id: 3, age_days: null, open_since: null, since_known: false });
    expect(table.diagnostics).toMatchObject([{ code: "start-unknown-dropped", count: 1 }]);
    const early = history.aging("STATUS", { open, at: "2024-02-15" });
    expect(rowsOf(early).at(-1)).toMatchObject({ bucket: "unknown status", count: 1 });
    expect(early.diagnostics).toMatchObject([{ code: "value-unknown", count: 1 }]);
    const later = history.aging("STATUS", { open, at: "2026-01-01" });
    expect(history.diagnostics.map(({ code }) => code)).toContain("date-after-read");
    expect(later.numRows()).toBe(4);
  });

  it("ends at the end of the history by default", async () => {
    const history = await historyOf(features, log);
    const table = history.aging("STATUS", { open });
    expect(table.get("date", 0)).toEqual(new Date("2025-01-01T00:00:00Z"));
    expect(table.features.array("age_days")[0]).toBe(366);
    const nothing = history.aging("STATUS", { open, at: "2023-01-01", by: "BLOCK" });
    expect([nothing.numRows(), nothing.features.numRows()]).toEqual([0, 0]);
  });

  it.each<[object | undefined, string]>([
    [undefined, "`open` is empty"],
    [{ open: [] }, "`open` is empty"],
    [{ open: "OPNE" }, 'no feature ever had "OPNE"'],
    [{ open, blocked: [] }, "`blocked` is empty"],
    [{ open: "OPEN", blocked: ["OPEN", "BLOCKED"] }, '`blocked` contains "BLOCKED", which is missing from `open`'],
    [{ open, at: "2024-01-01", dates: ["2024-01-01"] }, "`at` and `dates` cannot be combined"],
    [{ open, buckets: [30, 7] }, "buckets must be an array of ascending"],
    [{ open, buckets: [0, 7] }, "buckets must be an array of ascending numbers of days above 0"],
    [{ open, buckets: [] }, "buckets must be an array of ascending"],
    [{ open, by: "BLOK" }, "unknown property column"],
    [{ open, by: [1] }, "by must be a name, or an array of names"],
    [{ open, due: "DEU" }, "unknown property column"],
    [{ open, opne: 1 }, "has no option"],
    [{ open, at: "2024-02-30" }, "invalid time"],
  ])("refuses %j", async (options, message) => {
    const history = await historyOf(features, log);
    expect(refusal(() => history.aging("STATUS", options as never as AgingOptions))).toContain(message);
  });

  it("equals for several dates the answers for each date, for random histories", async () => {
    let compared = 0;
    const dates = ["2024-04-01", "2024-03-31T01:00:00.000001Z", "2023-12-31", "2024-10-26", "2030-06-30"];
    await fc.assert(
      fc.asyncProperty(worlds, fc.nat(), fc.nat(), async (world, one, other) => {
        const history = await historyOfWorld(world);
        const [by, due] = [["ASSIGNEE", "Risk", "id"][one % 3], ["VOLUME", "STATUS", "created_at"][other % 3]] as const;
        const has = (name: string | undefined) =>
          name === "id" || name === "created_at" || history.columns.includes(`${name}`);
        if (!history.columns.includes("STATUS") || !has(by) || !has(due)) return;
        const had = rowsOf(history.intervals("STATUS")).flatMap(({ state, value }) =>
          state === "unknown" ? [] : [value],
        );
        const some = had.filter(
          (value, place) => (value === null || typeof value !== "object") && place % 2 === one % 2,
        );
        if (some.length === 0) return;
        const calendar = other % 2 === 0 ? { calendar: { timeZone: "Europe/Berlin", hours: "08:00-16:00" } } : {};
        const options = { open: some, by: by as string, due: due as string, buckets: [0.5, 3, 90], ...calendar };
        const counts = (table: ReturnType<typeof history.aging>) =>
          rowsOf(table)
            .filter((row) => Number(row["count"]) > 0)
            .map(({ date: _, ...row }) => row);
        const all = history.aging("STATUS", { ...options, dates });
        const each = dates.map((at) => history.aging("STATUS", { ...options, at }));
        expect(counts(all)).toEqual(each.flatMap(counts));
        const odd = (table: typeof all) =>
          table.diagnostics.find(({ code }) => code === "value-type-mismatch")?.count ?? 0;
        expect(odd(all)).toBe(each.reduce((sum, table) => sum + odd(table), 0));
        expect(rowsOf(all.features)).toEqual(rowsOf(each.at(-1)?.features as typeof all));
        compared += 1;
      }),
      { numRuns: randomRuns(100) },
    );
    expect(compared).toBeGreaterThan(randomRuns(100) / 5);
  });

  it("agrees with intervals() and states(), for random histories", async () => {
    await fc.assert(
      fc.asyncProperty(worlds, times, fc.nat(), fc.nat(), async (world, at, one, other) => {
        const history = await historyOfWorld(world);
        if (!history.columns.includes("STATUS")) return;
        const spans = rowsOf(history.intervals("STATUS"));
        const had = [...new Set(spans.flatMap(({ state, value }) => (state === "unknown" ? [] : [value])))];
        const some = had.filter(
          (value, place) => (value === null || typeof value !== "object") && place % 2 === one % 2,
        );
        if (some.length === 0) return;
        const isOpen = (row: Readonly<Record<string, unknown>> | undefined) =>
          row !== undefined && row["state"] !== "unknown" && some.some((value) => value === row["value"]);
        const blocked = some.filter((_, place) => place % 2 === other % 2);
        const { lastUs, endUs } = resolveTimeLimit(at, history.timeZone);
        const expected = spans.flatMap((row, place) => {
          const [from, to] = [Number(row["valid_from_us"] ?? -Infinity), Number(row["valid_to_us"] ?? Infinity)];
          if (!isOpen(row) || from > lastUs || to <= lastUs) return [];
          let first = place;
          while (spans[first - 1]?.["id"] === row["id"] && isOpen(spans[first - 1])) first -= 1;
          const before = spans[first - 1];
          const isLate = before?.["id"] === row["id"] && before?.["state"] === "unknown";
          const since = Number((isLate ? before : spans[first])?.["valid_from_us"]);
          const waits = spans
            .slice(first, place + 1)
            .filter((each) => blocked.some((value) => value === each["value"]));
          const waited = waits.reduce((sum, each) => {
            return sum + Math.min(Number(each["valid_to_us"] ?? Infinity), endUs) - Number(each["valid_from_us"]);
          }, 0);
          return [
            {
              ...{ id: row["id"], value: row["value"], age_days: (endUs - since) / 86_400_000_000 },
              ...(blocked.length === 0 ? {} : { blocked_days: waited / 86_400_000_000 }),
              since_known: !isLate,
            },
          ];
        });
        const table = history.aging("STATUS", { open: some, at, ...(blocked.length === 0 ? {} : { blocked }) });
        const told = blocked.length === 0 ? [] : ["blocked_days"];
        const items = rowsOf(table.features.select("id", "value", "age_days", ...told, "since_known"));
        const byId = (a: object, b: object) => Number(Reflect.get(a, "id")) - Number(Reflect.get(b, "id"));
        expect([...items].sort(byId)).toEqual(expected);
        const ages = items.map((row) => Number(row["age_days"]));
        expect(ages).toEqual([...ages].sort((a, b) => b - a));
        const counted = rowsOf(table).filter((row) => row["bucket"] !== "unknown status");
        for (const row of counted) {
          const [from, to] = [Number(row["from_days"]), Number(row["to_days"] ?? Infinity)];
          const within = ages.filter((age) => (age > from || (from === 0 && age === 0)) && age <= to);
          expect(row["count"]).toBe(within.length);
        }
        const unknown = rowsOf(history.states(at)).filter(
          (row) => row["column"] === "STATUS" && row["state"] === "unknown",
        );
        expect(rowsOf(table).find((row) => row["bucket"] === "unknown status")?.["count"] ?? 0).toBe(unknown.length);
      }),
      { numRuns: randomRuns(200) },
    );
  });
});
