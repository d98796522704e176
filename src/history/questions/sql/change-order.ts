import type { Dialect } from "./dialect/dialect.js";

/**
 * What orders changes: their time, and of the same time their id. It is the rule by which `history/log/valid-order.ts`
 * orders them in memory; every statement takes it from this file, and the aggregates of dialects (`lastBy`) the direction: the
 * greater is the later. `late-edits.ts` counts on it, too.
 */
export const changeKeys = ["us", "id"] as const;

/**
 * Changes in valid order, behind `ORDER BY`; those without a known time come last.
 *
 * @param us what their time is called there
 * @param id what their id is called there
 */
export function changeOrder([us, id]: readonly [us: string, id: string] = changeKeys): string {
  return `${us} NULLS LAST, ${id}`;
}

/** The aggregate that gives a value of the last change, of those with a known time that count: see `lastBy()`. */
export function ofLastChange(dialect: Dialect, value: string, where?: string): string {
  return dialect.lastBy(value, changeKeys, where);
}

/** The same of the first change. */
export function ofFirstChange(dialect: Dialect, value: string, where?: string): string {
  return dialect.firstBy(value, changeKeys, where);
}
