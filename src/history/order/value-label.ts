import { formatValue } from "../../tables/display/format-value.js";
import type { CellState } from "../cell/cell-state.js";

/** Labels of unknown values, of null, and of several other values together. */
export const labels = { unknown: "unknown", none: "none", other: "other" } as const;

/** Label of an amount that cannot be computed because an input is missing. */
export const NOT_KNOWN = "not known";

/** Whether a value is unknown, by its state. */
export function isUnknown(state: unknown): boolean {
  return state === ("unknown" satisfies CellState);
}

/** The label of a property's value in a legend; `state` distinguishes an unknown value from null. */
export function valueLabel(value: unknown, state?: unknown): string {
  if (isUnknown(state)) return labels.unknown;
  if (value === null || value === undefined || value === "") return labels.none;
  return typeof value === "string" ? value : formatValue(value);
}
