import type { Column } from "../../tables/column/column.js";
import type { HistoryData } from "../cell/history-data.js";
import type { RowFinder } from "../cell/row-finder.js";
import type { TimePoint } from "../time/valid-time.js";
import type { LostRows } from "./join-findings.js";
import { indexed, type JoinTable, joinColumn } from "./join-table.js";
import { absentRows, type JoinedRows, NOWHERE } from "./joined-rows.js";
import { knownCounts } from "./known-counts.js";
import { rowTimes } from "./row-times.js";

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
