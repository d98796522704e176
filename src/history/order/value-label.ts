import { belowWhole } from "../../core/share.js";
import { formatCell } from "../../tables/display/html/format-cell.js";
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
  return typeof value === "string" ? value : formatCell(value).text;
}

/** A short amount for labels: integers from 100 on, and never 0 for other amounts. */
export function shortAmount(amount: number): string {
  const size = Math.abs(amount);
  const digits = size < 1 ? { maximumSignificantDigits: 2 } : { maximumFractionDigits: size < 100 ? 1 : 0 };
  return amount.toLocaleString("en-US", digits);
}

/** A percentage: never 100 for less than the whole, and never 0 for other amounts. */
export function formatPercent(percent: number, decimals: number, fewestDecimals = 0): string {
  const text = belowWhole(percent, decimals).toLocaleString("en-US", {
    minimumFractionDigits: fewestDecimals,
    maximumFractionDigits: decimals,
  });
  return percent !== 0 && Number(text) === 0 ? shortAmount(percent) : text;
}
