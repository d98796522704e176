// Changes that a question lists one by one, in order of insertion: from the log, or as an engine tells them.
import { GrowingArray } from "../../tables/cells/growing-array.js";
import type { HistoryData } from "../cell/history-data.js";
import { sortUuids } from "../log/sort-uuids.js";
import { GrowingUuids, JsonValues } from "./answer-rows.js";
import { type QuestionData, requireColumns, rowOfFeature } from "./ask.js";
import type { EngineRows } from "./engine/engine.js";

/** Some changes, by number. */
export interface ListedChanges {
  readonly length: number;
  changeId(place: number): string;
  /** Row of the feature. */
  row(place: number): number;
  column(place: number): number;
  value(place: number): unknown;
  /** When it was made, microseconds since 1970. */
  us(place: number): number;
  /** When its id says that it was recorded, milliseconds since 1970; undefined for one that does not say. */
  recordedMs(place: number): number | undefined;
}

/** Changes of the log, by their positions in it. All are of columns of the history. */
export function loggedChanges({ log, columnOfKey }: HistoryData, changes: ArrayLike<number>): ListedChanges {
  const at = (place: number) => changes[place] as number;
  return {
    length: changes.length,
    changeId: (place) => log.ids.at(at(place)),
    row: (place) => log.rows[at(place)] as number,
    column: (place) => columnOfKey[log.keyCodes[at(place)] as number] as number,
    value: (place) => log.values[log.valueCodes[at(place)] as number],
    us: (place) => log.timesUs[at(place)] as number,
    recordedMs: (place) => log.ids.timeMs(at(place)),
  };
}

/**
 * Changes that an engine tells part by part: their ids, features, columns, values as JSON text and times, and perhaps one
 * number more of each.
 *
 * @returns the changes, and the number more of each
 */
export async function toldChanges(
  data: QuestionData,
  answers: AsyncIterable<EngineRows> | Iterable<EngineRows>,
): Promise<{ readonly changes: ListedChanges; readonly more: (place: number) => number }> {
  const growing = new GrowingUuids();
  const values = new JsonValues();
  const [rows, cols, codes] = [
    new GrowingArray(Int32Array),
    new GrowingArray(Int32Array),
    new GrowingArray(Int32Array),
  ];
  const [made, further] = [new GrowingArray(Float64Array), new GrowingArray(Float64Array)];
  for await (const { rowCount, columns } of answers) {
    const [changeIds, features, columnPlaces, texts, times, numbers] = requireColumns(columns, 5);
    for (let index = 0; index < rowCount; index += 1) {
      growing.push(changeIds[index]);
      rows.push(rowOfFeature(data, features[index]));
      cols.push(Number(columnPlaces[index]));
      codes.push(values.code(texts[index]));
      made.push(Number(times[index]));
      further.push(Number(numbers?.[index]));
    }
  }
  const ids = growing.filled();
  const order = Uint32Array.from({ length: ids.length }, (_, change) => change);
  // Each part has its changes in order of insertion.
  sortUuids(ids.words, order);
  const at = (place: number) => order[place] as number;
  const changes: ListedChanges = {
    length: order.length,
    changeId: (place) => ids.at(at(place)),
    row: (place) => rows.at(at(place)),
    column: (place) => cols.at(at(place)),
    value: (place) => values.values[codes.at(at(place))],
    us: (place) => made.at(at(place)),
    recordedMs: (place) => ids.timeMs(at(place)),
  };
  return { changes, more: (place) => further.at(at(place)) };
}
