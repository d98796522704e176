import { formatValue } from "../format-value.js";

/** A table cell as text. `dim` marks placeholders such as `null`. */
export interface FormattedCell {
  readonly text: string;
  readonly numeric: boolean;
  readonly dim: boolean;
  /** Whether the value is missing: null, or undefined, which joins produce. */
  readonly isMissing?: true;
  /** The number itself, which may be shown with fewer digits. */
  readonly number?: number;
  /** Milliseconds since 1970 of a date, which may be shown with less precision. */
  readonly time?: number;
}

/** Formats one value for one line of a table. */
export function formatCell(value: unknown): FormattedCell {
  const text = formatValue(value);
  if (value === null || value === undefined) return { text, numeric: false, dim: true, isMissing: true };
  if (typeof value === "number") return { text, numeric: true, dim: Number.isNaN(value), number: value };
  if (typeof value === "bigint") return { text, numeric: true, dim: false };
  const time = value instanceof Date ? value.getTime() : Number.NaN;
  return { text, numeric: false, dim: false, ...(Number.isNaN(time) ? {} : { time }) };
}
