import fc from "fast-check";
import { Temporal } from "temporal-polyfill";
import { describe, expect, it } from "vitest";
import { aq } from "../../../src/arquero.js";
import { calendarPeriod } from "../../../src/core/calendar-period.js";
import { resolveGrid } from "../../../src/history/time/date-grid.js";
import { timePointSql } from "../../../src/history/time/time-point-sql.js";
import {
  endingDay,
  resolveTimeEnd,
  resolveTimePoint,
  resolveTimeStart,
  weekText,
} from "../../../src/history/time/valid-time.js";
import { fromRecords } from "../../../src/index.js";
import { cumulativeFlow, lines } from "../../../src/plot/index.js";
import { duckdbRows } from "../../support/duckdb-rows.js";
import { randomRuns } from "../../support/random-runs.js";
import { change, feature, uuidAt } from "../../support/records.js";
import { refusal } from "../../support/refusal.js";

const ZONES = ["UTC", "Europe/Berlin", "America/Sao_Paulo", "Pacific/Apia", "Asia/Beirut", "America/St_Johns"];

/** The days of a week, by the calendar of Temporal. */
function naiveDays(year: number, week: number): readonly Temporal.PlainDate[] {
  const first = Temporal.PlainDate.from({ year: year - 1, month: 12, day: 1 });
  return Array.from({ length: 430 }, (_, days) => first.add({ days })).filter(
    (day) => day.yearOfWeek === year && day.weekOfYear === week,
  );
}

const textOf = (year: number, week: number) => `${String(year).padStart(4, "0")}-W${String(week).padStart(2, "0")}`;
const us = (day: Temporal.PlainDate, timeZone: string) => day.toZonedDateTime(timeZone).epochMilliseconds * 1000;

/** Tests whether the reader agrees with the calendar about a week. */
function expectWeek(year: number, week: number, timeZone: string): void {
  const [text, days] = [textOf(year, week), naiveDays(year, week)];
  const [monday, sunday] = [days[0], days[6]];
  if (!monday || !sunday) {
    expect(() => resolveTimePoint(text, timeZone), text).toThrow(`Invalid time "${text}": `);
    return;
  }
  expect(days).toHaveLength(7);
  expect(resolveTimeStart(text, timeZone)).toBe(us(monday, timeZone));
  expect(resolveTimeEnd(text, timeZone)).toBe(us(sunday.add({ days: 1 }), timeZone));
  expect(resolveTimePoint(text, timeZone)).toBe(resolveTimePoint(sunday.toString(), timeZone));
  expect(weekText(calendarPeriod(text)?.firstDay ?? Number.NaN)).toBe(text);
}

describe("ISO weeks", () => {
  it.each([
    ["2024-W01", "2024-01-01", "2024-01-07"],
    ["2024-W23", "2024-06-03", "2024-06-09"],
    ["2020-W53", "2020-12-28", "2021-01-03"],
    ["2026-W53", "2026-12-28", "2027-01-03"],
    ["2015-W53", "2015-12-28", "2016-01-03"],
    ["2021-W01", "2021-01-04", "2021-01-10"],
    ["2025-W01", "2024-12-30", "2025-01-05"],
    ["2024-W52", "2024-12-23", "2024-12-29"],
    ["2000-W09", "2000-02-28", "2000-03-05"],
  ])("%s is %s to %s, also over the turn of a year", (week, monday, sunday) => {
    expect(resolveTimeStart(week, "UTC")).toBe(Date.parse(monday) * 1000);
    expect(resolveTimePoint(week, "UTC")).toBe(Date.parse(sunday) * 1000 + 86_400_000_000 - 1);
    expect(endingDay(week)).toBe(sunday);
  });

  it("begin and end at midnight of their time zone, also if clocks change", () => {
    expect(resolveTimeStart("2024-W13", "Europe/Berlin")).toBe(Date.parse("2024-03-25T00:00+01:00") * 1000);
    expect(resolveTimeEnd("2024-W13", "Europe/Berlin")).toBe(Date.parse("2024-04-01T00:00+02:00") * 1000);
    expect(resolveTimeEnd("2024-W43", "Europe/Berlin")).toBe(Date.parse("2024-10-28T00:00+01:00") * 1000);
    // On Sunday, 18 February 2018, clocks were set back at midnight: the Saturday was longer.
    expect(resolveTimeEnd("2018-W07", "America/Sao_Paulo")).toBe(Date.parse("2018-02-19T00:00-03:00") * 1000);
    // Samoa had no Friday, 30 December 2011.
    const length = resolveTimeEnd("2011-W52", "Pacific/Apia") - resolveTimeStart("2011-W52", "Pacific/Apia");
    expect(length).toBe(6 * 86_400_000_000);
  });

  it.each([
    ["2024-W53", '"2024-W53": 2024 has 52 weeks.', 'Use "2024-W52" or "2025-W01", the week after it.'],
    ["2020-W54", '"2020-W54": 2020 has 53 weeks.', 'Use "2020-W53" or "2021-W01", the week after it.'],
    ["2024-W00", '"2024-W00": weeks begin with W01.', 'Use "2023-W52" or "2024-W01", the week after it.'],
  ])("are refused with a fix if they do not exist: %s", (week, message, fix) => {
    const told = refusal(() => resolveTimePoint(week, "UTC"));
    expect(told).toContain(`Invalid time ${message}`);
    expect(told).toContain(fix);
  });

  it.each(["2024-W5", "2024W23", "2024-w23", "2024-W23-1", "2024-W230", " 2024-W23", "2024", "2024-06"])(
    "have one form: %j is refused",
    (text) => {
      expect(() => resolveTimePoint(text, "UTC")).toThrow("Invalid time");
    },
  );

  it("agree with the calendar of Temporal", () => {
    const drawn = fc.property(
      fc.integer({ min: 1, max: 9998 }),
      fc.integer({ min: 0, max: 54 }),
      fc.constantFrom(...ZONES),
      expectWeek,
    );
    fc.assert(drawn, { numRuns: randomRuns(60) });
    for (let year = 1990; year < 2040; year += 1) for (const week of [0, 1, 52, 53]) expectWeek(year, week, "UTC");
  });

  it("are steps of a grid if every step is whole weeks", () => {
    const datesOf = (every: string, until = "2025-W02") =>
      resolveGrid({ from: "2024-W51", until, every }, "Europe/Berlin").dates;
    expect(datesOf("week")).toEqual(["2024-W51", "2024-W52", "2025-W01", "2025-W02"]);
    expect(datesOf("P14D")).toEqual(["2024-W51", "2025-W01"]);
    expect(datesOf("day", "2024-12-18")).toEqual(["2024-12-16", "2024-12-17", "2024-12-18"]);
    expect(datesOf("month")).toEqual(["2024-12-16"]);
    const grid = resolveGrid(["2024-W23", "2024-06-05"], "Europe/Berlin");
    expect([...grid.sortedUs]).toEqual(
      ["2024-06-05", "2024-06-09"].map((day) => resolveTimePoint(day, "Europe/Berlin")),
    );
  });
});

/** A feature that was opened on Monday, 3 June, and closed on Sunday, 9 June, half past eleven in Berlin. */
const [opened, closed] = [Date.parse("2024-06-03T00:30+02:00"), Date.parse("2024-06-09T23:30+02:00")];
const source = fromRecords(
  {
    layerFeatures: [
      feature(1, { properties: { STATUS: "CLOSED", DUE: "2024-W22" }, created_at: "2024-05-01T00:00:00Z" }),
    ],
    propertyChanges: [opened, closed].map((at, n) =>
      change(n, { id: uuidAt(at, n), created_at: new Date(at).toISOString(), new_value: n === 0 ? "OPEN" : "CLOSED" }),
    ),
  },
  { readAt: new Date("2024-07-01T00:00:00Z") },
);

describe("ISO weeks in a history", async () => {
  const history = await source.history({ site_id: 12 }, { timeZone: "Europe/Berlin" });

  it("equal their last day in every question about a date", () => {
    const [week, sunday] = ["2024-W23", "2024-06-09"];
    expect(history.asOf(week).get("STATUS", 0)).toBe("CLOSED");
    expect(history.asOf("2024-W22").get("STATUS", 0)).toBeNull();
    expect(history.states(week).objects()).toEqual(history.states(sunday).objects());
    expect(history.knownAt(week).length).toBe(2);
    expect(history.knownAt("2024-W22").length).toBe(0);
    expect(history.diff("2024-W22", week).objects()).toEqual(history.diff("2024-06-02", sunday).objects());
    expect(history.durations("STATUS", { until: week }).objects()).toEqual(
      history.durations("STATUS", { until: sunday }).objects(),
    );
    const counts = history.counts("STATUS", ["2024-W22", week]);
    expect(counts.objects().map(({ date, value }: { date?: string; value?: string }) => [date, value])).toEqual([
      ["2024-W22", null],
      [week, "CLOSED"],
    ]);
    expect(history.layerAsOf(week).table.get("STATUS", 0)).toBe("CLOSED");
  });

  it("are times in joins, and in `knownAt` not the name of a column", () => {
    const rows = aq.table({ id: [1, 1], week: ["2024-W22", "2024-W23"] });
    const joined = history.joinAsOf(rows, { id: "id", time: "week", columns: ["STATUS"] });
    expect([...joined.array("STATUS")]).toEqual([null, "CLOSED"]);
    const known = history.joinAsOf(rows, { id: "id", time: "week", columns: ["STATUS"], knownAt: "2024-W22" });
    expect([...known.array("STATUS")]).toEqual([null, null]);
    const reports = aq.table({ id: [1], week: ["2024-W23"], "2024-W23 report": ["2024-W22"] });
    const reported = history.joinAsOf(reports, {
      id: "id",
      time: "week",
      columns: ["STATUS"],
      knownAt: "2024-W23 report",
    });
    expect([...reported.array("STATUS")]).toEqual([null]);
    const invalid = aq.table({ id: [1], week: ["2024-W53"] });
    expect(() => history.joinAsOf(invalid, { id: "id", time: "week" })).toThrow("is not a time");
  });

  it("are dates of plans, due dates and periods", () => {
    const plan = (dates: readonly string[]) => aq.table({ date: dates, value: [0, 1] });
    const variance = (dates: readonly string[]) =>
      history.planVariance("STATUS", { done: ["CLOSED"], plan: plan(dates) }).objects();
    expect(variance(["2024-W22", "2024-W24"])).toEqual(variance(["2024-06-02", "2024-06-16"]));
    const options = { done: ["CLOSED"], every: "week" } as const;
    const rows = history.flow("STATUS", { ...options, from: "2024-W23" }).objects();
    expect(rows).toEqual(history.flow("STATUS", { ...options, from: "2024-06-03" }).objects());
  });

  it("are dates of charts", () => {
    const drawn = (weeks: readonly string[]) =>
      lines(aq.table({ week: weeks, amount: [1, 2], name: ["a", "a"] }), { x: "week", y: "amount", by: "name" })
        .outerHTML;
    expect(drawn(["2024-W23", "2024-W24"])).toBe(drawn(["2024-06-03", "2024-06-10"]));
    const flowOf = (dates: readonly string[]) => cumulativeFlow(history, "STATUS", { dates }).outerHTML;
    expect(flowOf(["2024-W22", "2024-W23"])).toBe(flowOf(["2024-06-02", "2024-06-09"]));
    expect(() => drawn(["2024-W53", "2024-W24"])).toThrow("not a date or number");
  });
});

describe("the SQL of a point in time", () => {
  const numbers = (from: number, to: number) =>
    fc.integer({ min: from, max: to }).map((n) => String(n).padStart(2, "0"));
  const years = fc.integer({ min: 1600, max: 2400 }).map(String);
  const day = fc.tuple(years, numbers(0, 13), numbers(0, 32)).map((parts) => parts.join("-"));
  const week = fc.tuple(years, numbers(0, 54)).map(([year, number]) => `${year}-W${number}`);
  const recent = fc
    .integer({ min: 0, max: 25_000 })
    .map((days) => new Date(days * 86_400_000).toISOString().slice(0, 10));
  const clock = fc.constantFrom("00:00", "23:59:59", "24:00", "12:30:00.123456", "25:00", "12:00:60");
  const instant = fc
    .tuple(recent, clock, fc.constantFrom("Z", "+02:00", "-0330", "+05", "", "z"))
    .map(([date, time, zone]) => `${date}T${time}${zone}`);
  const other = fc.constantFrom("soon", "2024", "2024-06", "2024-W1", "2024-w23", "2024W23", "", "x2024-06-01");

  it("returns the result of resolveTimePoint() in DuckDB", async () => {
    const texts = fc.sample(fc.oneof(day, week, recent, instant, other), { numRuns: randomRuns(2000), seed: 5 });
    for (const timeZone of ZONES) {
      const sql = timePointSql("t", timeZone, { noPoint: "-1", noZone: "-2" });
      const values = texts.map((text) => `('${text}')`).join();
      const { rows } = await duckdbRows(`SELECT t, (${sql})::DOUBLE FROM (VALUES ${values}) texts(t)`);
      const wrong = rows.filter(([text, found]) => found !== naive(String(text), timeZone));
      expect(wrong, timeZone).toEqual([]);
    }
  });

  function naive(text: string, timeZone: string): number {
    try {
      return resolveTimePoint(text, timeZone);
    } catch (error) {
      return String(error).includes("has no time zone") ? -2 : -1;
    }
  }
});
