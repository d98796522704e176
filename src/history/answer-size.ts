import { ArgumentError } from "../core/errors.js";
import { formatCount } from "../core/format/format-number.js";

/** Maximum number of rows of an answer about many dates. */
const MOST_ROWS = 5_000_000;

/** Maximum number of numbers by date while an answer is computed, 4 to 16 bytes each. */
const MOST_CELLS = 20_000_000;

/**
 * Maximum number of values of a panel, up to 4 bytes each: compact, because a panel has a row for each date and
 * feature.
 */
const MOST_VALUES = 250_000_000;

/**
 * Rejects an answer that would need gigabytes, before its memory is allocated.
 *
 * @param call the call as users write it: `counts()`
 * @param rows rows of the answer, or of a part of it that is already too large
 * @param fewer what to reduce: `dates or groups`
 * @throws ArgumentError for more than 5,000,000 rows
 */
export function requireRows(call: string, rows: number, fewer: string): void {
  requireAtMost(MOST_ROWS, `${call}: the result has more than ${countText(MOST_ROWS)} rows.`, rows, fewer);
}

/** @throws ArgumentError for kinds of features at dates that need more than 20,000,000 numbers */
export function requireCells(call: string, kinds: number, dates: number): void {
  const message = `${call}: the result has more than ${countText(MOST_CELLS)} numbers: ${countText(kinds)} groups and values at ${countText(dates)} dates.`;
  requireAtMost(MOST_CELLS, message, kinds * dates, "dates or groups");
}

/** @throws ArgumentError for a panel of more than 250,000,000 values */
export function requireValues(call: string, rows: number, columns: number): void {
  const of = columns === 1 ? "" : ` in ${countText(columns)} columns`;
  const message = `${call}: the result has more than ${countText(MOST_VALUES)} values${of}.`;
  requireAtMost(MOST_VALUES, message, rows * columns, columns === 1 ? "dates" : "dates or columns");
}

function requireAtMost(most: number, message: string, count: number, fewer: string): void {
  if (count <= most) return;
  throw new ArgumentError(message, { hint: `Request fewer ${fewer} per call.`, facts: { limit: most } });
}

function countText(count: number): string {
  return formatCount(count);
}
