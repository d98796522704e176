import { ArgumentError } from "../../core/errors.js";
import { showValue } from "../../core/show-value.js";
import { isUuid } from "../../core/uuid.js";
import type { Column } from "../../tables/column/column.js";
import type { RowFinder } from "../cell/feature-rows.js";
import type { HistoryData } from "../cell/history-data.js";
import { knownUntil, lastKnownUs } from "../cell/known-at.js";
import { insertedBy } from "../log/inserted-by.js";
import { type TimePoint, withoutTemporal } from "../time/valid-time.js";
import type { LostRows } from "./join-findings.js";
import { indexed, type JoinTable, joinColumn } from "./join-table.js";
import { absentRows, type JoinedRows, NOWHERE } from "./joined-column.js";
import { pointReader, rowTimes } from "./row-times.js";

/** Which columns of a table say where its rows are. */
interface RowPlaces {
  readonly id: string;
  readonly time: string;
  readonly knownAt?: TimePoint | undefined;
}

/** A diagnostic lists no more rows than this. */
const MOST_ROWS = 3;

/**
 * Finds the feature, the time and what is known for each row of a table.
 *
 * @throws ArgumentError for columns that there are not, and values that are no times
 */
export function locateRows(data: HistoryData, table: JoinTable, { id, time, knownAt }: RowPlaces) {
  const ids = joinColumn(table, "id", id);
  const times = rowTimes(joinColumn(table, "time", time), time, data.timeZone);
  const { known, knownUs } = readKnown(data, table, knownAt);
  const { features, nullIds, unknownIds, unknownRows } = featureRows(data.features.finder, ids);
  let [nullTimes, nullPoints] = [0, 0];
  const isWhole = times.areAll && !known;
  for (let row = isWhole ? table.length : 0; row < table.length; row += 1) {
    if (features[row] === NOWHERE) continue;
    if (Number.isNaN(times.us[row])) nullTimes += 1;
    else if (known?.[row] === -1) nullPoints += 1;
    else continue;
    features[row] = NOWHERE;
  }
  const located = { length: table.length, features, times, known, knownUs };
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
 * How many changes of the log each row may use (−1 if the row has no point), and the last microsecond that it may use; undefined
 * if there is no limit.
 *
 * @param asked a point for all rows, or the name of a column that has one for each
 * @throws ArgumentError for a string that is neither, and a value of the column that is not a point
 */
function readKnown(
  data: HistoryData,
  table: JoinTable,
  asked: TimePoint | undefined,
): Pick<JoinedRows, "known" | "knownUs"> {
  if (asked === undefined) return { known: undefined, knownUs: undefined };
  const { log, timeZone, readAtUs } = data;
  const given = withoutTemporal(asked);
  const count = insertedBy(log, timeZone);
  const lastUs = (point: TimePoint) => lastKnownUs(knownUntil(data, point), timeZone);
  const name = columnName(given);
  if (name === undefined) {
    const known = count(given);
    const knownUs = new Float64Array(table.length).fill(lastUs(given));
    return { known: known === log.length ? undefined : new Int32Array(table.length).fill(known), knownUs };
  }
  const values = indexed(joinColumn(table, "knownAt", name));
  const read = pointReader(name, count, count);
  const readUs = pointReader(name, lastUs, (us) => (us < readAtUs ? us : Number.POSITIVE_INFINITY));
  const known = new Int32Array(table.length);
  const knownUs = new Float64Array(table.length);
  for (let row = 0; row < known.length; row += 1) {
    const count = read(values[row], row);
    known[row] = Number.isNaN(count) ? -1 : count;
    knownUs[row] = readUs(values[row], row);
  }
  return { known, knownUs };
}

/** Texts of times and ids begin with a year or are UUIDs; whatever else is a text names a column. */
function columnName(given: unknown): string | undefined {
  if (given instanceof Date) return undefined;
  if (typeof given === "string") return isUuid(given) || /^\d{4}-\d\d-\d\d/.test(given) ? undefined : given;
  throw new ArgumentError(
    `at() takes a time, the id of a change or the name of a column as knownAt, got ${showValue(given)}.`,
  );
}

/** The rows of a join that have a feature, in about the order that features have in a history: that of its index. */
export interface RowsByFeature {
  readonly length: number;
  /** Row of each one's feature. */
  readonly features: Int32Array;
  readonly us: Float64Array;
  readonly known: Int32Array | undefined;
  /** Which row of the table it is. */
  readonly rows: Int32Array;
}

/** Each part of the features has so small a part of a column's changes that it stays in the processor's cache. */
const PARTS = 256;

/**
 * Puts rows in parts by their features, so that each column's changes are walked through part by part, whatever the order
 * of the table. Within a part rows stay as they stand: to sort them wholly would take longer than it saves.
 *
 * @param featureCount of the history
 */
export function rowsByFeature({ length, features, times, known }: JoinedRows, featureCount: number): RowsByFeature {
  const shift = Math.max(0, Math.ceil(Math.log2(Math.max(featureCount, 1) / PARTS)));
  const next = partStarts(features, shift);
  const count = next[PARTS + 1] as number;
  const ordered = {
    length: count,
    features: new Int32Array(count),
    us: new Float64Array(count),
    known: known && new Int32Array(count),
    rows: new Int32Array(count),
  };
  for (let row = 0; row < length; row += 1) {
    const feature = features[row] ?? NOWHERE;
    if (feature === NOWHERE) continue;
    const part = feature >> shift;
    const place = next[part] as number;
    next[part] = place + 1;
    ordered.rows[place] = row;
    ordered.features[place] = feature;
    ordered.us[place] = times.us[row] as number;
    if (known && ordered.known) ordered.known[place] = known[row] as number;
  }
  return ordered;
}

/** Where the rows of each part begin; at the end, how many rows have a feature. */
function partStarts(features: Int32Array, shift: number): Int32Array {
  const starts = new Int32Array(PARTS + 2);
  for (let row = 0; row < features.length; row += 1) {
    const feature = features[row] ?? NOWHERE;
    const part = feature === NOWHERE ? PARTS : feature >> shift;
    starts[part] = (starts[part] as number) + 1;
  }
  let count = 0;
  for (let part = 0; part <= PARTS; part += 1) {
    const own = part < PARTS ? (starts[part] as number) : 0;
    starts[part] = count;
    count += own;
  }
  starts[PARTS + 1] = count;
  return starts;
}
