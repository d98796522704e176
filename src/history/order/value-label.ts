import { belowWhole } from "../../core/share.js";
import { formatCell } from "../../tables/display/html/format-cell.js";
import type { CellState } from "../cell/cell-state.js";

/** How figures say that the log does not tell a value (unknown), that there is none, and that it is one of several others. */
export const labels = { unknown: "unknown", none: "none", other: "other" } as const;

/** How figures say that an amount cannot be told, since something that it is made of was not given. */
export const NOT_KNOWN = "not known";

/** Whether the log does not tell a value, by its state. */
export function isUnknown(state: unknown): boolean {
  return state === ("unknown" satisfies CellState);
}

/** A property's value as a legend names it; `state` tells an unknown value from none. */
export function valueLabel(value: unknown, state?: unknown): string {
  if (isUnknown(state)) return labels.unknown;
  if (value === null || value === undefined || value === "") return labels.none;
  return typeof value === "string" ? value : formatCell(value).text;
}

/** An amount as figures write it beside what they draw: whole from 100 on, and what is not nothing never as 0. */
export function shortAmount(amount: number): string {
  const size = Math.abs(amount);
  const digits = size < 1 ? { maximumSignificantDigits: 2 } : { maximumFractionDigits: size < 100 ? 1 : 0 };
  return amount.toLocaleString("en-US", digits);
}

/** A percentage: less than the whole never reads as 100, and what is not nothing never as 0. */
export function formatPercent(percent: number, decimals: number, fewestDecimals = 0): string {
  const text = belowWhole(percent, decimals).toLocaleString("en-US", {
    minimumFractionDigits: fewestDecimals,
    maximumFractionDigits: decimals,
  });
  return percent !== 0 && Number(text) === 0 ? shortAmount(percent) : text;
}
