import { ArgumentError } from "../../core/errors.js";
import { showValue } from "../../core/show-value.js";
import { isUuid } from "../../core/uuid.js";
import type { Column } from "../../tables/column/column.js";
import type { HistoryData } from "../cell/history-data.js";
import type { RowFinder } from "../cell/row-finder.js";
import { insertedBy } from "../log/inserted-by.js";
import { withoutTemporal } from "../time/temporal-point.js";
import type { TimePoint } from "../time/valid-time.js";
import type { LostRows } from "./join-findings.js";
import { indexed, type JoinTable, joinColumn } from "./join-table.js";
import { absentRows, type JoinedRows, NOWHERE } from "./joined-rows.js";
import { pointReader, rowTimes } from "./row-times.js";

/** Which columns of a table say where its rows are. */
export interface RowPlaces {
  readonly id: string;
  readonly time: string;
  readonly knownAt?: TimePoint | undefined;
}

/** An error or a finding shows no more ids than this. */
const MOST_EXAMPLES = 3;

/**
 * Finds the feature, the time and what is known for each row of a table.
 *
 * @throws ArgumentError for columns that there are not, and values that are no times
 */
export function locateRows(data: HistoryData, table: JoinTable, { id, time, knownAt }: RowPlaces) {
  const ids = joinColumn(table, "id", id);
  const times = rowTimes(joinColumn(table, "time", time), time, data.timeZone);
  const known = knownCounts(data, table, knownAt);
  const { features, nullIds, unknownIds, examples } = featureRows(data.features.finder, ids);
  let [nullTimes, nullPoints] = [0, 0];
  const isWhole = times.areAll && !known;
  for (let row = isWhole ? table.length : 0; row < table.length; row += 1) {
    if (features[row] === NOWHERE) continue;
    if (Number.isNaN(times.us[row])) nullTimes += 1;
    else if (known?.[row] === -1) nullPoints += 1;
    else continue;
    features[row] = NOWHERE;
  }
  const located = { length: table.length, features, times, known };
  const rows: JoinedRows = { ...located, absent: absentRows(data, located) };
  const lost: LostRows = { unknownIds, examples, nullIds, nullTimes, nullPoints };
  return { rows, lost };
}

function featureRows(finder: RowFinder, ids: Column) {
  const values = indexed(ids);
  const features = finder.findAll(values);
  const examples = new Set<unknown>();
  let [nullIds, unknownIds] = [0, 0];
  for (let row = 0; row < features.length; row += 1) {
    if (features[row] !== NOWHERE) continue;
    const id = values[row];
    if (id === null || id === undefined || Number.isNaN(id)) nullIds += 1;
    else {
      unknownIds += 1;
      if (examples.size < MOST_EXAMPLES) examples.add(id);
    }
  }
  return { features, nullIds, unknownIds, examples: [...examples] };
}

/**
 * How many changes of the log each row may know of; undefined where that is all of them, −1 where a row does not say.
 *
 * @param asked a point for all rows, or the name of a column that has one for each
 * @throws ArgumentError for a text that is neither, and a column's value that is no point
 */
function knownCounts(
  { log, timeZone }: HistoryData,
  table: JoinTable,
  asked: TimePoint | undefined,
): Int32Array | undefined {
  if (asked === undefined) return undefined;
  const given = withoutTemporal(asked);
  const count = insertedBy(log, timeZone);
  const name = columnName(given);
  if (name === undefined) {
    const known = count(given);
    return known === log.length ? undefined : new Int32Array(table.length).fill(known);
  }
  const values = indexed(joinColumn(table, "knownAt", name));
  const read = pointReader(name, count, count);
  const counts = new Int32Array(table.length);
  for (let row = 0; row < counts.length; row += 1) {
    const known = read(values[row], row);
    counts[row] = Number.isNaN(known) ? -1 : known;
  }
  return counts;
}

/** Texts of times and ids begin with a year or are UUIDs; whatever else is a text names a column. */
function columnName(given: unknown): string | undefined {
  if (given instanceof Date) return undefined;
  if (typeof given === "string") return isUuid(given) || /^\d{4}-\d\d-\d\d/.test(given) ? undefined : given;
  throw new ArgumentError(
    `at() takes a time, the id of a change or the name of a column as knownAt, got ${showValue(given)}.`,
  );
}
