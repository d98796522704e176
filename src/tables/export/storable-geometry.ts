import type { Geometry } from "geojson";
import { ArgumentError } from "../../core/errors.js";
import type { ExportColumn, ExportTable } from "./export-table.js";
import { faultText, geometryFault } from "./sound-geometry.js";

/**
 * The geometries of a column, for files that hold nothing else there: by row, null where there is none.
 *
 * @param call that is to be named: `toParquet()`
 * @throws ArgumentError, when it is called with the row, for a value that is no geometry; it names the feature
 */
export function storableGeometry(
  call: string,
  frame: ExportTable,
  { name, values }: ExportColumn,
): (row: number) => Geometry | null {
  const ids = frame.columns.find((column) => column.name === "id")?.values;
  return (row) => {
    const value = values.at(row) ?? null;
    const fault = value === null ? undefined : geometryFault(value);
    if (!fault) return value as Geometry | null;
    const id = ids?.at(row) ?? null;
    const who = id === null ? `row ${row + 1}` : `row ${row + 1} (id ${String(id)})`;
    throw new ArgumentError(`${call}: ${who} has no geometry that can be stored: ${faultText(fault)}.`, {
      hint: "Filter the row out, or write GeoJSON, which keeps what came.",
      facts: { column: name, row: row + 1, ...(id === null ? {} : { id }), path: fault.path },
    });
  };
}
