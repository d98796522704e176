import type { Column as ArrowColumn, DataType, Field, Schema, Table } from "@uwdata/flechette";
import { columnKinds } from "../../api/property-types.js";
import { type Diagnostic, withSeverity } from "../../core/diagnostic.js";
import { anything, type OptionRules } from "../../core/options.js";
import type { Column } from "../column/column.js";
import { asLoggedName, type ExportColumn, type ExportOptions, type ExportTable, exportRules } from "./export-table.js";
import { instantUs, jsonText } from "./export-values.js";
import { sharedWkb } from "./wkb.js";

/** Options of `toArrowIPC()`. */
export interface ArrowOptions extends ExportOptions {
  /** Path of a file to write; an existing file is replaced. Default: none. */
  readonly path?: string;
}

/** Rules for the options of `toArrowIPC()`. */
export const arrowRules: OptionRules<ArrowOptions> = { path: anything, ...exportRules };

type Flechette = typeof import("@uwdata/flechette");

/** Arrow metadata of a geometry column: GeoArrow's well-known binary, longitude and latitude in WGS 84. */
const geometryMetadata: ReadonlyMap<string, string> = new Map([
  ["ARROW:extension:name", "geoarrow.wkb"],
  ["ARROW:extension:metadata", JSON.stringify({ crs: "OGC:CRS84", crs_type: "authority_code" })],
]);

/**
 * A frame as an Arrow table. `columnKinds` determines the types of columns; instants are `timestamp[us]` with the time
 * zone of the column, dates `date32`, geometries `binary` with the extension `geoarrow.wkb`. All columns are nullable. Invalid geometries, and
 * geometries that readers of well-known binary reject, become null with a diagnostic; the column `(as logged)`, if
 * requested, has them as received.
 */
export async function toArrow(frame: ExportTable, { asLogged = false, onDiagnostic }: ExportOptions): Promise<Table> {
  const flechette = await import("@uwdata/flechette");
  const names = new Set(frame.columns.map(({ name }) => name));
  const columns = frame.columns.flatMap((column): NamedColumn[] => {
    const named = (name: string, made: ArrowColumn<unknown>, metadata?: ReadonlyMap<string, string>): NamedColumn => ({
      field: flechette.field(name, made.type, true, metadata ? new Map(metadata) : null),
      column: made,
    });
    if (column.kind !== "geometry") return [named(column.name, arrowColumn(flechette, column))];
    const { made, left } = wkbColumn(flechette, column.values);
    const geometries = named(column.name, made, geometryMetadata);
    if (left === 0) return [geometries];
    onDiagnostic?.(leftDiagnostic(column.name, left));
    const asCame = { ...column, kind: "json" as const };
    return asLogged
      ? [geometries, named(asLoggedName(column.name, names), arrowColumn(flechette, asCame))]
      : [geometries];
  });
  const schema: Schema = {
    version: flechette.Version.V5,
    endianness: flechette.Endianness.Little,
    fields: columns.map(({ field }) => field),
    metadata: null,
  };
  return new flechette.Table(
    schema,
    columns.map(({ column }) => column),
  );
}

/** A table as a stream of Arrow's IPC format. */
export async function arrowBytes(table: Table): Promise<Uint8Array> {
  const { tableToIPC } = await import("@uwdata/flechette");
  const bytes = tableToIPC(table, { format: "stream" });
  if (!bytes) throw new TypeError("a stream in memory has no bytes");
  return bytes;
}

interface NamedColumn {
  readonly field: Field;
  readonly column: ArrowColumn<unknown>;
}

/** @returns the column, and the number of values that are not geometries */
function wkbColumn(
  flechette: Flechette,
  values: Column,
): { readonly made: ArrowColumn<unknown>; readonly left: number } {
  let left = 0;
  const binaries = mapped(values, (value) => {
    const wkb = sharedWkb(value);
    if (!wkb) left += 1;
    return wkb?.bytes ?? null;
  });
  return { made: flechette.columnFromValues(binaries, flechette.binary()), left };
}

function leftDiagnostic(column: string, count: number): Diagnostic {
  const [values, are] = count === 1 ? ["value", "is not a valid geometry"] : ["values", "are not valid geometries"];
  return withSeverity({
    code: "geometry-malformed",
    message: `${count} ${values} of ${JSON.stringify(column)} ${are}: null in Arrow, unchanged in the table.`,
    count,
    facts: { column },
  });
}

function arrowColumn(flechette: Flechette, { kind, values, format }: ExportColumn): ArrowColumn<unknown> {
  const { int64, float64, bool, utf8, dateDay, list } = flechette;
  const column = (type: DataType, convert: (value: unknown) => unknown = (value) => value) =>
    flechette.columnFromValues(mapped(values, convert), type);
  const { arrow } = columnKinds[kind];
  switch (arrow) {
    case "int64":
      return column(int64());
    case "float64":
      return column(float64());
    case "bool":
      return column(bool());
    case "utf8":
      return column(utf8(), kind === "json" ? jsonText : undefined);
    case "dateDay":
      return column(dateDay(), (value) => new Date(`${String(value)}T00:00:00Z`));
    case "timestamp":
      return instantColumn(flechette, values, format?.timeZone ?? "UTC");
    case "list<int64>":
      return column(list(int64()));
    case "list<utf8>":
      return column(list(utf8()));
    case "wkb":
      return wkbColumn(flechette, values).made;
  }
}

/**
 * Flechette creates timestamps in milliseconds, in which microseconds are not exact doubles. So the column is built as
 * 64-bit integers, which have the same layout, and the type of its batches is changed afterwards.
 */
function instantColumn(flechette: Flechette, values: Column, timeZone: string): ArrowColumn<unknown> {
  const usOf = instantUs(values);
  const integers = flechette.columnFromValues(
    Array.from({ length: values.length }, (_, row) => {
      const us = usOf(row);
      return Number.isNaN(us) ? null : BigInt(us);
    }),
    flechette.int64(),
  );
  const type = flechette.timestamp(flechette.TimeUnit.MICROSECOND, timeZone);
  const Batch = flechette.batchType(type) as new (batch: object) => (typeof integers.data)[number];
  return new flechette.Column(
    integers.data.map(({ length, nullCount, validity, values: words }) => {
      return new Batch({ length, nullCount, validity, values: words, type });
    }),
    type,
  );
}

function* mapped(values: Column, convert: (value: unknown) => unknown): Iterable<unknown> {
  for (const value of values) yield value === null || value === undefined ? null : convert(value);
}
