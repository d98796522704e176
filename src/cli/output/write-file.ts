import type { ColumnTable } from "arquero";
import { readSafely } from "../../core/show-value.js";
import { toTable } from "../../tables/column/table.js";
import { tableToGeoPackage, tableToXLSX } from "../../tables/export/table-exports.js";

/** Formats written from a table in memory. */
export const fileFormats = ["xlsx", "gpkg"] as const;

/** One of these formats. */
export type FileFormat = (typeof fileFormats)[number];

/** Whether a format is one of these. */
export function isFileFormat(format: string): format is FileFormat {
  return fileFormats.some((one) => one === format);
}

/** Writes a query result to a file. In a GeoPackage, the column `geometry` (GeoJSON in SQL) becomes the geometry. */
export async function writeFileOf(table: ColumnTable, format: FileFormat, path: string): Promise<void> {
  if (format === "xlsx") await tableToXLSX(table, { path });
  else await tableToGeoPackage(withGeometries(table), { path });
}

function withGeometries(table: ColumnTable): ColumnTable {
  return toTable(
    table.columnNames().map((name) => {
      const values = table.column(name) ?? [];
      if (name !== "geometry") return [name, values] as const;
      return [name, Array.from(values, (value) => (typeof value === "string" ? parsed(value) : value))] as const;
    }),
  );
}

function parsed(text: string): unknown {
  return readSafely(() => JSON.parse(text) as unknown, text);
}
