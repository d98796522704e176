import type { ColumnTable } from "arquero";
import type { Column } from "../columns/column/column.js";
import { countTypes } from "../columns/column/count-types.js";
import type { ColumnKind, ExportTable } from "../columns/export/export-table.js";
import type { ColumnSchema } from "./layer-data.js";
import { jsonTypeOf } from "./value-type.js";

/** A layer's columns with what they hold, for exports. */
export function layerExport(table: ColumnTable, schema: readonly ColumnSchema[]): ExportTable {
  const columns = schema.map((entry) => {
    const values: Column = table.column(entry.column) ?? [];
    return { name: entry.column, kind: columnKind(entry, values), values, key: entry.property_keys[0] };
  });
  return { rowCount: table.numRows(), columns };
}

const baseKinds: Readonly<Record<string, ColumnKind>> = {
  integer: "integer",
  string: "text",
  timestamp: "instant",
  geometry: "geometry",
};

const jsonKinds = { null: "text", boolean: "boolean", number: "number", string: "text", json: "json" } as const;

/** By the values, since any of them may contradict its definition; by the definition where there are none. */
function columnKind({ source, type }: ColumnSchema, values: Column): ColumnKind {
  const counts = countTypes(values);
  const holds = (["boolean", "number", "string", "json"] as const).filter((name) => counts[name] > 0);
  const declared = source === "base" ? baseKinds[type] : jsonKinds[jsonTypeOf(type) ?? "null"];
  if (holds.length > 1) return "json";
  const [only] = holds;
  const isAsDeclared = only === undefined || (kindsOf[only].includes(declared ?? "json") && fits(values, declared));
  return declared && isAsDeclared ? declared : jsonKinds[only ?? "null"];
}

/** A read that is not strict lets other numbers pass in fields of integers, which 64-bit integers may not hold. */
function fits(values: Column, declared: ColumnKind | undefined): boolean {
  if (declared !== "integer") return true;
  for (const value of values) if (value !== null && value !== undefined && !Number.isSafeInteger(value)) return false;
  return true;
}

const kindsOf: Readonly<Record<"boolean" | "number" | "string" | "json", readonly ColumnKind[]>> = {
  boolean: ["boolean"],
  number: ["integer", "number"],
  string: ["text", "instant"],
  json: ["json", "geometry", "instant"],
};
