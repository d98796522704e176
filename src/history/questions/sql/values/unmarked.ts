import { UNCHANGED_MARK } from "./marks.js";

/** A value without the mark before it that it was never changed. */
export function unmarked(value: string): string {
  return `CASE WHEN substr(${value}, 1, 1) = '${UNCHANGED_MARK}' THEN substr(${value}, 2) ELSE ${value} END`;
}
