import { END_MS, FEATURES, START_MS } from "../history/data.mjs";
import { share } from "../share.mjs";
import { xorshift } from "../xorshift.mjs";

/** Rows of the table to which values are joined. */
export const ROWS = Math.round(1_000_000 * share);

/**
 * A table of rows in no order: a feature from 1, one in a thousand unknown, and a time in microseconds within the years
 * of the log.
 */
export function makeTable() {
  const random = xorshift(11);
  const feature = new Int32Array(ROWS);
  const us = new Float64Array(ROWS);
  for (let row = 0; row < ROWS; row += 1) {
    feature[row] = 1 + Math.floor(random() * FEATURES * 1.001);
    us[row] = (START_MS + Math.floor(random() * (END_MS - START_MS))) * 1000;
  }
  return { feature, us };
}
