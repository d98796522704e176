import { formatInstant } from "../../core/instant.js";
import type { ExportColumn } from "./export-table.js";
import { instantUs } from "./instant-us.js";

/** Values of a column as JSON has them: instants as ISO 8601 text with their microseconds, nothing as null. */
export function plainValues({ kind, values }: ExportColumn): (row: number) => unknown {
  if (kind !== "instant") {
    return (row) => {
      const value = values.at(row) ?? null;
      // Beside texts, as of a time without an end.
      return value instanceof Date && !Number.isNaN(value.getTime()) ? value.toISOString() : value;
    };
  }
  const usOf = instantUs(values);
  return (row) => {
    const us = usOf(row);
    if (!Number.isNaN(us)) return formatInstant(us);
    const value = values.at(row);
    return value === undefined || value instanceof Date ? null : value;
  };
}
