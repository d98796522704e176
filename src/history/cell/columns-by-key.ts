import type { PropertyColumn } from "../../layer/property-columns.js";
import { canonicalKey } from "../../layer/property-key.js";
import { NONE } from "../log/change-log.js";

/**
 * Column of each key of a log; `NONE` where it is not among the columns.
 *
 * @param keys canonical
 */
export function columnsByKey(columns: readonly PropertyColumn[], keys: readonly string[]): Int32Array {
  const columnOf = new Map(
    columns.flatMap((column, index) => column.keys.map(({ key }) => [canonicalKey(key), index] as const)),
  );
  return Int32Array.from(keys, (key) => columnOf.get(key) ?? NONE);
}
