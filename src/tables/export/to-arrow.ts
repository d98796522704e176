import type { Column as ArrowColumn, DataType, Table } from "@uwdata/flechette";
import type { Column } from "../column/column.js";
import type { ColumnKind } from "../types/column-kind.js";
import type { ExportColumn, ExportTable } from "./export-table.js";
import { instantUs } from "./instant-us.js";
import { jsonText } from "./json-text.js";

type Flechette = typeof import("@uwdata/flechette");

/**
 * A frame as an Arrow table. Integers are `int64`, numbers `float64`, dates `date32`, instants `timestamp[us, UTC]`, texts
 * `utf8`, lists `list<int64>` and `list<utf8>`; geometries and other JSON are `utf8` JSON text. Every column may be null.
 */
export async function toArrow(frame: ExportTable): Promise<Table> {
  const flechette = await import("@uwdata/flechette");
  return flechette.tableFromColumns(
    frame.columns.map((column): [string, ArrowColumn<unknown>] => [column.name, arrowColumn(flechette, column)]),
  );
}

function arrowColumn(flechette: Flechette, { kind, values }: ExportColumn): ArrowColumn<unknown> {
  if (kind === "instant") return instantColumn(flechette, values);
  return flechette.columnFromValues(mapped(values, converter(kind)), arrowType(flechette, kind));
}

function arrowType({ int64, float64, bool, utf8, dateDay, list }: Flechette, kind: ColumnKind): DataType {
  switch (kind) {
    case "integer":
      return int64();
    case "number":
      return float64();
    case "boolean":
      return bool();
    case "date":
      return dateDay();
    case "integers":
      return list(int64());
    case "texts":
      return list(utf8());
    default:
      return utf8();
  }
}

function converter(kind: ColumnKind): (value: unknown) => unknown {
  if (kind === "date") return (value) => new Date(`${String(value)}T00:00:00Z`);
  return kind === "geometry" || kind === "json" ? jsonText : (value) => value;
}

/**
 * Flechette makes timestamps of milliseconds, in which microseconds are no exact doubles. So the column is built as
 * 64-bit integers, which have the same layout, and its batches are given the type afterwards.
 */
function instantColumn(flechette: Flechette, values: Column): ArrowColumn<unknown> {
  const usOf = instantUs(values);
  const integers = flechette.columnFromValues(
    Array.from({ length: values.length }, (_, row) => {
      const us = usOf(row);
      return Number.isNaN(us) ? null : BigInt(us);
    }),
    flechette.int64(),
  );
  const type = flechette.timestamp(flechette.TimeUnit.MICROSECOND, "UTC");
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
