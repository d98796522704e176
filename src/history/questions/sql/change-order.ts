import type { Dialect } from "./dialect/dialect.js";

/**
 * Sort keys of changes: their time, then their id. `history/log/valid-order.ts` uses the same order in memory. Every
 * statement takes the keys from this file; the aggregates of dialects (`lastBy`) depend on the direction: greater is
 * later. `late-edits.ts` relies on it, too.
 */
export const changeKeys = ["us", "id"] as const;

/**
 * Valid order of changes, for `ORDER BY`. Changes without a known time come last.
 *
 * @param us name of the time column
 * @param id name of the id column
 */
export function changeOrder([us, id]: readonly [us: string, id: string] = changeKeys): string {
  return `${us} NULLS LAST, ${id}`;
}

/**
 * The aggregate that returns a value of the last change, among the changes that count and have a known time: see
 * `lastBy()`.
 */
export function ofLastChange(dialect: Dialect, value: string, where?: string): string {
  return dialect.lastBy(value, changeKeys, where);
}

/** The same for the first change. */
export function ofFirstChange(dialect: Dialect, value: string, where?: string): string {
  return dialect.firstBy(value, changeKeys, where);
}
