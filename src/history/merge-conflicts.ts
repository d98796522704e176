import type { HistoryData } from "./cell/history-data.js";

/**
 * How many features held two different values at one time under the keys of a merged column. Values that were there
 * for less than a microsecond do not count: one edit may move a value from key to key.
 */
export function mergeConflicts(
  { index, log, features }: Pick<HistoryData, "index" | "log" | "features">,
  column: number,
): number {
  let conflicts = 0;
  for (let row = 0; row < features.count; row += 1) {
    const cell = index.cell(row, column);
    const [start, end] = [index.start(cell), index.end(cell)];
    const held = new Map<number, number>();
    for (let place = start; place < end; place += 1) {
      const change = index.order[place] as number;
      held.set(log.keyCodes[change] as number, log.valueCodes[change] as number);
      const isSettled = place + 1 === end || index.timesUs[place + 1] !== index.timesUs[place];
      if (isSettled && new Set([...held.values()].filter((code) => code !== 0)).size > 1) {
        conflicts += 1;
        break;
      }
    }
  }
  return conflicts;
}
