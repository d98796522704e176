import { UNKNOWN_MARK } from "./marks.js";

/**
 * A value as it was logged, as JSON text; null where it is null or not known.
 *
 * @param value JSON text, or the mark of an unknown value
 */
export function loggedValue(value: string): string {
  return `CASE WHEN ${value} NOT IN ('null', '${UNKNOWN_MARK}') THEN ${value} END`;
}
