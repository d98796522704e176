import { startsLikeDate } from "../../core/calendar-period.js";
import { firstOf } from "../../core/counted.js";
import { type Diagnostic, withSeverity } from "../../core/diagnostic.js";
import { ArgumentError } from "../../core/errors.js";
import { formatInstant } from "../../core/format/format-date.js";
import { showValue } from "../../core/show-value.js";
import { isUuid } from "../../core/uuid.js";
import type { Column } from "../../tables/column/column.js";
import type { RowFinder } from "../cell/feature-rows.js";
import type { HistoryData } from "../cell/history-data.js";
import { knownUntil, lastKnownUs } from "../cell/known-at.js";
import { insertedBy } from "../log/inserted-by.js";
import { type TimePoint, withoutTemporal } from "../time/valid-time.js";
import { indexed, type JoinTable, joinColumn } from "./join-table.js";
import { absentRows, type JoinedRows, NOWHERE } from "./joined-column.js";
import { pointReader, rowTimes } from "./row-times.js";

/** The columns of a table that locate its rows in a history. */
interface RowPlaces {
  readonly id: string;
  readonly time: string;
  readonly knownAt?: TimePoint | undefined;
}

/** Maximum number of rows in a diagnostic. */
const MOST_ROWS = 3;

/**
 * Finds the feature, the time and the known log for each row of a table.
 *
 * @throws ArgumentError for missing columns and invalid times
 */
export function locateRows(data: HistoryData, table: JoinTable, { id, time, knownAt }: RowPlaces) {
  const ids = joinColumn(table, "id", id);
  const times = rowTimes(joinColumn(table, "time", time), time, data.timeZone);
  const { knownCounts, knownUs } = readKnown(data, table, knownAt);
  const { features, nullIds, unknownIds, unknownRows } = featureRows(data.features.finder, ids);
  let [nullTimes, nullPoints] = [0, 0];
  const isWhole = times.areAll && !knownCounts;
  for (let row = isWhole ? table.length : 0; row < table.length; row += 1) {
    if (features[row] === NOWHERE) continue;
    if (Number.isNaN(times.us[row])) nullTimes += 1;
    else if (knownCounts?.[row] === -1) nullPoints += 1;
    else continue;
    features[row] = NOWHERE;
  }
  const located = { length: table.length, features, times, knownCounts, knownUs };
  const rows: JoinedRows = { ...located, absent: absentRows(data, located) };
  const lost: LostRows = { unknownIds, unknownRows, nullIds, nullTimes, nullPoints };
  return { rows, lost };
}

function featureRows(finder: RowFinder, ids: Column) {
  const values = indexed(ids);
  const features = finder.findAll(values);
  const unknownRows: number[] = [];
  let [nullIds, unknownIds] = [0, 0];
  for (let row = 0; row < features.length; row += 1) {
    if (features[row] !== NOWHERE) continue;
    const id = values[row];
    if (id === null || id === undefined || Number.isNaN(id)) nullIds += 1;
    else {
      unknownIds += 1;
      if (unknownRows.length < MOST_ROWS) unknownRows.push(row);
    }
  }
  return { features, nullIds, unknownIds, unknownRows };
}

/**
 * Number of changes of the log that each row may use (−1 for a row without a point), and the last microsecond that it
 * may use; undefined without a limit.
 *
 * @param knownAt a point for all rows, or the name of a column with one per row
 * @throws ArgumentError for a string that is neither, and a value of the column that is not a point
 */
function readKnown(
  data: HistoryData,
  table: JoinTable,
  knownAt: TimePoint | undefined,
): Pick<JoinedRows, "knownCounts" | "knownUs"> {
  if (knownAt === undefined) return { knownCounts: undefined, knownUs: undefined };
  const { log, timeZone, readAtUs } = data;
  const given = withoutTemporal(knownAt);
  const count = insertedBy(log, timeZone);
  const lastUs = (point: TimePoint) => lastKnownUs(knownUntil(data, point), timeZone);
  const name = columnName(given);
  if (name === undefined) {
    const knownCount = count(given);
    const knownUs = new Float64Array(table.length).fill(lastUs(given));
    return {
      knownCounts: knownCount === log.length ? undefined : new Int32Array(table.length).fill(knownCount),
      knownUs,
    };
  }
  const values = indexed(joinColumn(table, "knownAt", name));
  const read = pointReader(name, count, count);
  const readUs = pointReader(name, lastUs, (us) => (us < readAtUs ? us : Number.POSITIVE_INFINITY));
  const knownCounts = new Int32Array(table.length);
  const knownUs = new Float64Array(table.length);
  for (let row = 0; row < knownCounts.length; row += 1) {
    const count = read(values[row], row);
    knownCounts[row] = Number.isNaN(count) ? -1 : count;
    knownUs[row] = readUs(values[row], row);
  }
  return { knownCounts, knownUs };
}

/** Times begin like a date and ids are UUIDs; any other string is the name of a column. */
function columnName(given: unknown): string | undefined {
  if (given instanceof Date) return undefined;
  if (typeof given === "string") return isUuid(given) || startsLikeDate(given) ? undefined : given;
  throw new ArgumentError(`joinAsOf(): invalid knownAt: ${showValue(given)}.`, {
    hint: "Pass a time, the id of a change or the name of a column.",
    facts: { option: "knownAt" },
  });
}

/**
 * The rows of a join that have a feature, roughly in the order of features in a history, which is that of its index.
 */
export interface RowsByFeature {
  readonly length: number;
  /** Row of each one's feature. */
  readonly features: Int32Array;
  readonly us: Float64Array;
  readonly knownCounts: Int32Array | undefined;
  /** Index of the row in the table. */
  readonly rows: Int32Array;
}

/**
 * Number of parts, so that the part of a column's changes for each part of the features fits into the processor's
 * cache.
 */
const PARTS = 256;

/**
 * Partitions rows by their features, so that each column's changes are read part by part, whatever the order of the
 * table. Rows keep their order within a part: a complete sort would take longer than it saves.
 *
 * @param featureCount number of features of the history
 */
export function rowsByFeature(
  { length, features, times, knownCounts }: JoinedRows,
  featureCount: number,
): RowsByFeature {
  const shift = Math.max(0, Math.ceil(Math.log2(Math.max(featureCount, 1) / PARTS)));
  const next = partStarts(features, shift);
  const count = next[PARTS + 1] as number;
  const ordered = {
    length: count,
    features: new Int32Array(count),
    us: new Float64Array(count),
    knownCounts: knownCounts && new Int32Array(count),
    rows: new Int32Array(count),
  };
  for (let row = 0; row < length; row += 1) {
    const feature = features[row] as number;
    if (feature === NOWHERE) continue;
    const part = feature >> shift;
    const index = next[part] as number;
    next[part] = index + 1;
    ordered.rows[index] = row;
    ordered.features[index] = feature;
    ordered.us[index] = times.us[row] as number;
    if (knownCounts && ordered.knownCounts) ordered.knownCounts[index] = knownCounts[row] as number;
  }
  return ordered;
}

/** Start of the rows of each part, and the number of rows with a feature at the end. */
function partStarts(features: Int32Array, shift: number): Int32Array {
  const starts = new Int32Array(PARTS + 2);
  for (let row = 0; row < features.length; row += 1) {
    const feature = features[row] as number;
    const part = feature === NOWHERE ? PARTS : feature >> shift;
    starts[part] = (starts[part] as number) + 1;
  }
  let count = 0;
  for (let part = 0; part <= PARTS; part += 1) {
    const size = part < PARTS ? (starts[part] as number) : 0;
    starts[part] = count;
    count += size;
  }
  starts[PARTS + 1] = count;
  return starts;
}

/** Rows of a table that can have no values, by the first missing part. */
export interface LostRows {
  readonly unknownIds: number;
  /** The first of them. */
  readonly unknownRows: readonly number[];
  readonly nullIds: number;
  readonly nullTimes: number;
  readonly nullPoints: number;
}

/** Diagnostics about the rows of a join: those without values, and those after the log was read. */
export function joinDiagnostics(
  { readAtUs }: Pick<HistoryData, "readAtUs">,
  rows: JoinedRows,
  lost: LostRows,
): readonly Diagnostic[] {
  return [...lostDiagnostic(rows.length, lost), ...absentDiagnostic(rows), ...afterReadDiagnostic(readAtUs, rows)];
}

function lostDiagnostic(length: number, lost: LostRows): readonly Diagnostic[] {
  const { unknownIds, unknownRows, nullIds, nullTimes, nullPoints } = lost;
  const count = unknownIds + nullIds + nullTimes + nullPoints;
  if (count === 0) return [];
  const unknownText = `${unknownIds === 1 ? "row" : "rows"} ${firstOf(unknownRows.map(String), unknownRows.length, { total: unknownIds })}`;
  const reasons = [
    ...(unknownIds > 0 ? [`${unknownIds} with an id that is not in the history (${unknownText})`] : []),
    ...(nullIds > 0 ? [`${nullIds} without an id`] : []),
    ...(nullTimes > 0 ? [`${nullTimes} without a time`] : []),
    ...(nullPoints > 0 ? [`${nullPoints} without a value in \`knownAt\``] : []),
  ];
  return [
    withSeverity({
      code: "row-without-values",
      message: `${count} of ${length} rows of joinAsOf() have no values: ${reasons.join(", ")}.`,
      count,
      facts: { unknown_ids: unknownIds, null_ids: nullIds, null_times: nullTimes, null_points: nullPoints },
    }),
  ];
}

function absentDiagnostic({ length, absent }: JoinedRows): readonly Diagnostic[] {
  const count = absent?.reduce((sum, one) => sum + one, 0) ?? 0;
  if (count === 0) return [];
  return [
    withSeverity({
      code: "row-before-feature",
      message: `${count} of ${length} rows of joinAsOf() have no values: their features did not exist at these times.`,
      count,
    }),
  ];
}

function afterReadDiagnostic(readAtUs: number, { length, times }: JoinedRows): readonly Diagnostic[] {
  if (times.lastUs <= readAtUs) return [];
  let count = 0;
  for (let row = 0; row < length; row += 1) count += Number((times.us[row] as number) > readAtUs);
  const readAt = formatInstant(readAtUs);
  return [
    withSeverity({
      code: "date-after-read",
      message: `${count} of ${length} rows of joinAsOf() are after the log was read (${readAt}). They have the values known then.`,
      count,
      facts: { read_at: readAt },
    }),
  ];
}
