import { firstIndex } from "../../core/first-index.js";
import type { HistoryData } from "../cell/history-data.js";

/** A change that was not the newest of its feature and property when it was inserted. */
export interface LateChange {
  /** Position in the log. */
  readonly change: number;
  /** Position of the change that was the newest then. */
  readonly overtaken: number;
}

/** The late changes of a history's columns, in order of insertion. */
export function lateChanges(data: HistoryData): readonly LateChange[] {
  const { index, columns, features } = data;
  const late: LateChange[] = [];
  columns.forEach(({ keys }, column) => {
    for (let row = 0; row < features.count; row += 1) {
      const cell = index.cell(row, column);
      const order = index.order.subarray(index.start(cell), index.end(cell));
      if (order.length < 2 || isAscending(order)) continue;
      const own = keys.length === 1 ? lateOf(order) : eachKey(data, order).flatMap(lateOf);
      for (const change of own) late.push(change);
    }
  });
  return late.sort((a, b) => a.change - b.change);
}

function isAscending(order: Int32Array): boolean {
  for (let place = 1; place < order.length; place += 1) {
    if ((order[place - 1] as number) > (order[place] as number)) return false;
  }
  return true;
}

/** @param order positions of one property's changes, in valid order */
function lateOf(order: Int32Array): LateChange[] {
  const late: LateChange[] = [];
  // From the last place on, the changes that were inserted before all that stand after them: ever lower positions.
  const lows: number[] = [];
  for (let place = order.length - 1; place >= 0; place -= 1) {
    const change = order[place] as number;
    if ((lows.at(-1) ?? Number.POSITIVE_INFINITY) < change) late.push({ change, overtaken: firstBelow(lows, change) });
    else lows.push(change);
  }
  return late;
}

/** The first of descending positions that is below another; the last one is. */
function firstBelow(descending: readonly number[], position: number): number {
  return descending[firstIndex(descending.length, (index) => (descending[index] as number) >= position)] as number;
}

function eachKey({ log }: HistoryData, order: Int32Array): Int32Array[] {
  const keys = new Set(Array.from(order, (change) => log.keyCodes[change]));
  return [...keys].map((key) => order.filter((change) => log.keyCodes[change] === key));
}
