import type { Column } from "../../columns/column/column.js";
import { type ChangeLog, NONE } from "./change-log.js";

/**
 * What caused each change, as a position in the log where the cause is in it.
 *
 * @param rows rows of the changes in `causes`, in order of insertion
 * @param ids their ids, in lower case
 */
export function readCauses(
  rows: readonly number[],
  causes: Column,
  ids: readonly string[],
): Pick<ChangeLog, "causes" | "outsideCauses"> {
  const caused = new Map<number, string>();
  rows.forEach((row, change) => {
    const cause = causes.at(row);
    if (typeof cause === "string") caused.set(change, cause.toLowerCase());
  });
  const wanted = new Set(caused.values());
  const positions = new Map<string, number>();
  ids.forEach((id, position) => {
    if (wanted.has(id)) positions.set(id, position);
  });
  const outside = new Map<string, number>();
  const codes = new Int32Array(rows.length).fill(NONE);
  for (const [change, id] of caused) {
    const code = positions.get(id) ?? outside.get(id) ?? -2 - outside.size;
    if (code < NONE) outside.set(id, code);
    codes[change] = code;
  }
  return { causes: codes, outsideCauses: [...outside.keys()] };
}
