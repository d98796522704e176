// Working time in SQL: a table of UTC days with the working time before and on each day, so that a length needs two
// lookups.
import { ArgumentError } from "../../../../core/errors.js";
import { US_PER_DAY, US_PER_HOUR } from "../../../../core/instant.js";
import type { WorkingCalendar } from "../../../time/working-calendar.js";
import { type DayPattern, NANO_PER_DAY, type WorkInterval } from "../../../time/working-ledger.js";
import type { QuestionData } from "../../engine/query-in-batches.js";
import type { Dialect } from "../dialect/dialect.js";

/** Lengths of time in the rows of one relation. */
export interface SqlLengths {
  /** The members of `WITH` that the joins need. */
  readonly members: readonly string[];
  /** Joins after the relation. */
  readonly joins: string;
  /** A length in each unit of `toldUnits()`: an expression, and how many of its units make one unit. */
  readonly columns: readonly { readonly name: string; readonly sql: string; readonly whole: number }[];
}

/** Start and end of lengths: expressions of microseconds since 1970, `BIGINT`. */
export interface SqlEnds {
  readonly from: string;
  readonly to: string;
  /** The latest end, if it may come after the end of the log. */
  readonly untilUs?: number;
}

/**
 * Lengths between two times, both in the log or between its ends. With a calendar, other lengths are null.
 *
 * @throws ArgumentError for a calendar and a log of many decades
 */
export function sqlLengths(
  data: QuestionData,
  dialect: Dialect,
  working: WorkingCalendar | undefined,
  ends: SqlEnds,
): SqlLengths {
  if (working) return workingLengths(data, dialect, working, ends);
  return { members: [], joins: "", columns: [{ name: "days", sql: `${ends.to} - ${ends.from}`, whole: US_PER_DAY }] };
}

/** Statements for more days exceed Trino's limit. */
const MOST_DAYS = 25_000;

function workingLengths(
  { extent, features }: QuestionData,
  dialect: Dialect,
  working: WorkingCalendar,
  { from, to, untilUs = extent.lastUs }: SqlEnds,
): SqlLengths {
  const firstUs = features.createdUs.reduce((a, b) => (Number.isFinite(b) ? Math.min(a, b) : a), extent.firstUs);
  const finite = [firstUs, extent.lastUs, untilUs].filter(Number.isFinite);
  const { patterns, patternOf, firstDay, usBefore, nanoBefore } = coveringLedger(
    working,
    finite.length > 0 ? finite : [0],
  );
  const first = (row: number, cells: readonly (string | number)[]) =>
    cells.map((cell) => (row === 0 ? dialect.cast(String(cell), "bigint") : String(cell)));
  const days = Array.from(patternOf, (pattern, day) =>
    first(day, [day, pattern, usBefore[day] as number, nanoBefore[day] as number]),
  );
  const shape = shapeOf(patterns);
  const hours = patterns.map((pattern, row) => first(row, [row, ...cellsOf(pattern, shape)]));
  const names = shape.flatMap((count, day) => [
    `w${day}`,
    ...Array.from({ length: count }, (_, index) => [`s${day}_${index}`, `e${day}_${index}`]).flat(),
  ]);
  const baseUs = firstDay * US_PER_DAY;
  const day = (us: string) => dialect.quotient(`(${us} - ${bracketed(baseUs)})`, String(US_PER_DAY));
  const at = (alias: string, us: string) =>
    lookUp(dialect, shape, alias, `(${us} - ${bracketed(baseUs)} - ${alias}.utc_day * ${US_PER_DAY})`);
  const [begin, end] = [at("wa", from), at("wb", to)];
  return {
    members: [
      dialect.relation("working_days", ["utc_day", "pattern", "us_before", "nano_before"], days),
      dialect.relation("working_hours", ["pattern", ...names], hours),
      `working AS (SELECT working_days.utc_day, us_before, nano_before${names.map((name) => `, ${name}`).join("")}
  FROM working_days JOIN working_hours ON working_hours.pattern = working_days.pattern)`,
    ],
    joins: `
  LEFT JOIN working wa ON wa.utc_day = ${day(from)}
  LEFT JOIN working wb ON wb.utc_day = ${day(to)}`,
    columns: [
      { name: "days", sql: `${end.nano} - ${begin.nano}`, whole: NANO_PER_DAY },
      { name: "hours", sql: `${end.us} - ${begin.us}`, whole: US_PER_HOUR },
    ],
  };
}

function coveringLedger(working: WorkingCalendar, times: readonly number[]) {
  const [firstUs, lastUs] = [Math.min(...times), Math.max(...times)];
  const days = Math.ceil((lastUs - firstUs) / US_PER_DAY);
  if (days <= MOST_DAYS) return working.ledger(firstUs, lastUs);
  throw new ArgumentError(
    `The times of the log span ${days} days. A calendar in an engine covers at most ${MOST_DAYS}.`,
    {
      hint: "Check the log for wrong dates, or use a history in memory: await snapshot.history(…).",
      facts: { days },
    },
  );
}

/** Maximum number of working periods of the days in a pattern, by index. */
function shapeOf(patterns: readonly DayPattern[]): readonly number[] {
  const most = Math.max(...patterns.map(({ days }) => days.length));
  return Array.from({ length: most }, (_, index) =>
    Math.max(...patterns.map(({ days }) => days[index]?.intervals.length ?? 0)),
  );
}

/** A pattern as cells: the length of each working day, and its periods. Missing ones are empty. */
function cellsOf({ days }: DayPattern, shape: readonly number[]): readonly number[] {
  const none: WorkInterval = [0, 0];
  return shape.flatMap((count, index) => {
    const { whole = 1, intervals = [] } = days[index] ?? {};
    return [whole, ...Array.from({ length: count }, (_, interval) => intervals[interval] ?? none).flat()];
  });
}

/**
 * The working time before a time.
 *
 * @param rest microseconds since the day began
 */
function lookUp(dialect: Dialect, shape: readonly number[], alias: string, rest: string) {
  const worked = shape.map((count, day) => {
    const intervals = Array.from({ length: count }, (_, index) => {
      const [start, end] = [`${alias}.s${day}_${index}`, `${alias}.e${day}_${index}`];
      return `CASE WHEN ${rest} > ${end} THEN ${end} - ${start} WHEN ${rest} > ${start} THEN ${rest} - ${start} ELSE 0 END`;
    });
    return `(${intervals.join(" + ")})`;
  });
  const shares = worked.map(
    (us, day) => `round(${dialect.double(us)} * ${NANO_PER_DAY}E0 / ${dialect.double(`${alias}.w${day}`)})`,
  );
  return {
    us: dialect.double(`(${[`${alias}.us_before`, ...worked].join(" + ")})`),
    nano: `(${[dialect.double(`${alias}.nano_before`), ...shares].join(" + ")})`,
  };
}

/** A minus before a negative number would begin a comment. */
function bracketed(number: number): string {
  return number < 0 ? `(${number})` : String(number);
}
