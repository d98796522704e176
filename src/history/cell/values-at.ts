import type { Block, Values } from "../columns/block-column.js";
import { cellValue } from "./cell-state.js";
import { pickDecided, readDecided } from "./decided-codes.js";
import { decidingChanges } from "./deciding-changes.js";
import type { HistoryData } from "./history-data.js";

/**
 * The values of a property column at a time, of some features.
 *
 * @param rows of the features, ascending
 * @param backfill whether the first later change stands where changes exist but all are later
 */
export function valuesAt(
  data: HistoryData,
  column: number,
  rows: Int32Array,
  us: number,
  backfill: boolean,
): Values<unknown> {
  const { index, presentFromUs } = data;
  const counts = index.countsAt(column, us);
  const decisionOf = decidingChanges(data, column, counts, us, backfill);
  const valueAt = (row: number) => cellValue(data, row, column, decisionOf(row));
  const isWhole = rows.length === data.features.count;
  return {
    at: (entry) => valueAt(rows[entry] ?? 0),
    dictionary: data.log.values,
    read(start, end, block) {
      if (isWhole) readDecided(index, column, counts, start, end, block.codes);
      else pickDecided(index, column, counts, rows.subarray(start, end), block.codes);
      const put = putterInto(block);
      if (backfill) {
        for (let entry = start; entry < end; entry += 1) {
          const row = rows[entry] ?? 0;
          if (counts[row] === 0) put(entry - start, valueAt(row));
        }
        return;
      }
      const standing = data.standing(column);
      let entry = start;
      standing.forEach(rows[start] ?? 0, (rows[end - 1] ?? 0) + 1, (row) => {
        if (isWhole) entry = row;
        else while ((rows[entry] ?? row) < row) entry += 1;
        if (rows[entry] === row && !((presentFromUs[row] ?? 0) > us)) put(entry - start, standing.value(row));
      });
    },
  };
}

/** What lets a place of a block hold a value that is in no dictionary. */
function putterInto({ codes, apart }: Block<unknown>): (place: number, value: unknown) => void {
  let count = 0;
  return (place, value) => {
    apart[count] = value;
    count += 1;
    codes[place] = -count;
  };
}
