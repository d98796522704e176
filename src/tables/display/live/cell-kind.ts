import { isOdd } from "./is-odd.js";

/** What the values of a column are; numbers of 64 bits are told from others. */
export type CellKind = "number" | "bigint" | "date" | "text";

/** What all values are that are there: `text` where they disagree, or where none is. */
export function cellKind(values: Iterable<unknown>): CellKind {
  let [areSome, areNumbers, areDates, areBig] = [false, true, true, true];
  for (const value of values) {
    if (value === null || isOdd(value)) continue;
    areSome = true;
    areNumbers &&= typeof value === "number" || isSafeBigint(value);
    areDates &&= value instanceof Date;
    areBig &&= typeof value === "bigint";
    if (!areNumbers && !areDates && !areBig) return "text";
  }
  if (!areSome) return "text";
  if (areNumbers) return "number";
  return areDates ? "date" : "bigint";
}

function isSafeBigint(value: unknown): boolean {
  return typeof value === "bigint" && Number.isSafeInteger(Number(value));
}
