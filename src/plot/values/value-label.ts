import { formatCell } from "../../tables/display/html/format-cell.js";

/** How the labels of values that are none read in legends. */
export const labels = { unknown: "unknown", none: "none", other: "other" } as const;

/** A property's value as a legend names it; `state` tells an unknown value from none. */
export function valueLabel(value: unknown, state?: unknown): string {
  if (state === "unknown") return labels.unknown;
  if (value === null || value === undefined || value === "") return labels.none;
  return typeof value === "string" ? value : formatCell(value).text;
}
