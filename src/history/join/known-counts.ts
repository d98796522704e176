import { ArgumentError } from "../../core/errors.js";
import { showValue } from "../../core/show-value.js";
import { isUuid } from "../../core/uuid.js";
import type { HistoryData } from "../cell/history-data.js";
import { insertedBy } from "../log/inserted-by.js";
import { withoutTemporal } from "../time/temporal-point.js";
import type { TimePoint } from "../time/valid-time.js";
import { indexed, type JoinTable, joinColumn } from "./join-table.js";
import { pointReader } from "./row-times.js";

/**
 * How many changes of the log each row may know of; undefined where that is all of them, −1 where a row does not say.
 *
 * @param asked a point for all rows, or the name of a column that has one for each
 * @throws ArgumentError for a text that is neither, and a column's value that is no point
 */
export function knownCounts(
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
