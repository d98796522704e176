import type { HistoryData } from "./history-data.js";

/**
 * Numbers the distinct values that the changes of one column have. A column usually has far fewer values than the log,
 * so arrays per cell or value can be smaller.
 *
 * @param first number of the value that appears first, above 0
 * @returns `numberOf` by value code of the log, 0 for values that the column does not have; `codes` of its values, in
 * the order of their numbers
 */
export function columnValues({ index, log }: Pick<HistoryData, "index" | "log">, column: number, first: number) {
  const numberOf = new Int32Array(log.values.length);
  const codes: number[] = [];
  const [start, end] = index.placesOf(column);
  for (let place = start; place < end; place += 1) {
    const code = index.valueCodes[place] as number;
    if (numberOf[code] === 0) numberOf[code] = first + codes.push(code) - 1;
  }
  return { numberOf, codes };
}
