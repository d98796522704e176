import { UNCHANGED_MARK } from "../../sql/cell-values.js";

/** The value of a JSON text that may have the mark of what was never changed. */
export function plainValue(text: unknown): unknown {
  const json = String(text);
  return JSON.parse(json.startsWith(UNCHANGED_MARK) ? json.slice(UNCHANGED_MARK.length) : json) as unknown;
}
