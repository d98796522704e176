/**
 * The types of property definitions: storage, text, axis, exports, SQL, Danfo and checks. A new type is an entry of
 * `propertyTypes`; a new kind of storage is an entry of `columnKinds`. Tests compare all outputs for each entry.
 */

import { dayUs, parseInstant } from "../core/instant.js";

/** Kind of the values of a column that has one value per row. */
export type ValueKind = "integer" | "number" | "boolean" | "text" | "date" | "instant";

/** Kind of the values of an exported column, besides nulls. */
export type ColumnKind =
  | ValueKind
  /** Arrays of integers. */
  | "integers"
  /** Arrays of strings. */
  | "texts"
  /** GeoJSON geometries. */
  | "geometry"
  /** Any JSON, also of mixed types. */
  | "json";

/** How a kind of values is written. */
interface KindRule {
  /** TypeScript type of a value in JSON. */
  readonly json: "number" | "boolean" | "string" | "unknown";
  /** TypeScript type of a value in a table. */
  readonly row: "number" | "boolean" | "string" | "Date" | "unknown";
  /** Whether all JSON values of that type are of the kind: not every number is an integer, nor every string a date. */
  readonly isJsonType: boolean;
  /** Whether messages may quote a value that is not of the kind: it is probably a mistyped number or date. */
  readonly isQuotable: boolean;
  /** Type in DuckDB, and in Parquet files. */
  readonly sql:
    | "BIGINT"
    | "DOUBLE"
    | "BOOLEAN"
    | "VARCHAR"
    | "DATE"
    | "TIMESTAMPTZ"
    | "BIGINT[]"
    | "VARCHAR[]"
    | "JSON";
  readonly arrow:
    | "int64"
    | "float64"
    | "bool"
    | "utf8"
    | "dateDay"
    | "timestamp"
    | "list<int64>"
    | "list<utf8>"
    | "wkb";
  readonly geoPackage: "INTEGER" | "DOUBLE" | "BOOLEAN" | "TEXT" | "DATE" | "DATETIME";
  readonly danfo: "number" | "boolean" | "string" | "json";
}

const textRule = { json: "string", row: "string", isJsonType: false, isQuotable: true, danfo: "string" } as const;
const listRule = {
  json: "unknown",
  row: "unknown",
  isJsonType: false,
  isQuotable: false,
  geoPackage: "TEXT",
  danfo: "json",
} as const;

/** How each kind of values is written. */
export const columnKinds = {
  /** 64-bit integers. */
  integer: {
    ...{ json: "number", row: "number", isJsonType: false, isQuotable: true },
    ...{ sql: "BIGINT", arrow: "int64", geoPackage: "INTEGER", danfo: "number" },
  },
  number: {
    ...{ json: "number", row: "number", isJsonType: true, isQuotable: true },
    ...{ sql: "DOUBLE", arrow: "float64", geoPackage: "DOUBLE", danfo: "number" },
  },
  boolean: {
    ...{ json: "boolean", row: "boolean", isJsonType: true, isQuotable: false },
    ...{ sql: "BOOLEAN", arrow: "bool", geoPackage: "BOOLEAN", danfo: "boolean" },
  },
  text: { ...textRule, isJsonType: true, isQuotable: false, sql: "VARCHAR", arrow: "utf8", geoPackage: "TEXT" },
  /** Calendar dates, as strings `2025-06-30`. */
  date: { ...textRule, sql: "DATE", arrow: "dateDay", geoPackage: "DATE" },
  /** `Date`s, with microseconds if the column has them. */
  instant: { ...textRule, row: "Date", sql: "TIMESTAMPTZ", arrow: "timestamp", geoPackage: "DATETIME" },
  integers: { ...listRule, sql: "BIGINT[]", arrow: "list<int64>" },
  texts: { ...listRule, sql: "VARCHAR[]", arrow: "list<utf8>" },
  geometry: { ...listRule, sql: "JSON", arrow: "wkb" },
  json: { ...listRule, sql: "JSON", arrow: "utf8" },
} as const satisfies Readonly<Record<ColumnKind, KindRule>>;

/** How values are sorted and drawn: as numbers, as times, or by their own types. */
export type Axis = "number" | "instant" | "value";

/** A type of property definitions. */
export interface PropertyRule {
  /** Kind of a column of such values, if no value is an array. */
  readonly kind: ValueKind;
  /** Kind if some are arrays; undefined if arrays are not allowed. */
  readonly listKind?: "integers" | "texts";
  /** Order of values, and how a table or chart draws them. */
  readonly axis: Axis;
  /** Meaning of the values if they refer to something: codes in the definition's `config`, or ids of features. */
  readonly refersTo?: "options" | "features";
  /** Whether a value has the type. */
  accepts(value: unknown): boolean;
}

const number: PropertyRule = { kind: "number", axis: "number", accepts: (value) => typeof value === "number" };
const text: PropertyRule = { kind: "text", axis: "value", accepts: (value) => typeof value === "string" };
const instant: PropertyRule = {
  kind: "instant",
  axis: "instant",
  accepts: (value) =>
    value instanceof Date
      ? !Number.isNaN(value.getTime())
      : typeof value === "string" && parseInstant(value) !== undefined,
};

/** Types of property definitions. The list in the specification is incomplete. */
export type PropertyType =
  | "INTEGER"
  | "FLOAT"
  | "DOUBLE"
  | "NUMBER"
  | "DECIMAL"
  | "CURRENCY"
  | "PERCENT"
  | "BOOLEAN"
  | "DATE"
  | "DATETIME"
  | "TIMESTAMP"
  | "STRING"
  | "TEXT"
  | "OPTION"
  | "RELATIONSHIP";

/** The meaning of each type. Specification: Property definition. */
export const propertyTypes: Readonly<Record<PropertyType, PropertyRule>> = {
  INTEGER: { kind: "integer", axis: "number", accepts: isInt64 },
  FLOAT: number,
  DOUBLE: number,
  NUMBER: number,
  DECIMAL: number,
  CURRENCY: number,
  PERCENT: number,
  BOOLEAN: { kind: "boolean", axis: "value", accepts: (value) => typeof value === "boolean" },
  DATE: { kind: "date", axis: "instant", accepts: isDate },
  DATETIME: instant,
  TIMESTAMP: instant,
  STRING: text,
  TEXT: text,
  /** Codes are strings or numbers, and several may be chosen. */
  OPTION: {
    kind: "text",
    listKind: "texts",
    axis: "value",
    refersTo: "options",
    accepts: (value) => isCode(value) || isListOf(value, isCode),
  },
  /** Ids of features, which are integers. */
  RELATIONSHIP: {
    kind: "integer",
    listKind: "integers",
    axis: "value",
    refersTo: "features",
    accepts: (value) => isInt64(value) || isListOf(value, isInt64),
  },
};

/** The meaning of a definition's type; undefined without a definition and for unknown types. */
export function propertyRule(type: string | undefined): PropertyRule | undefined {
  return type !== undefined && Object.hasOwn(propertyTypes, type) ? propertyTypes[type as PropertyType] : undefined;
}

/** How values of a definition's type are sorted and drawn. */
export function axisOf(type: string | undefined): Axis {
  return propertyRule(type)?.axis ?? "value";
}

/** Whether a value is a 64-bit integer. */
export function isInt64(value: unknown): boolean {
  if (typeof value === "bigint") return BigInt.asIntN(64, value) === value;
  return Number.isInteger(value) && Math.abs(Number(value)) < 2 ** 63;
}

/** Whether a value is a string `2025-06-30` of an existing day. */
export function isDate(value: unknown): value is string {
  return typeof value === "string" && dayUs(value) !== undefined;
}

function isCode(value: unknown): boolean {
  return typeof value === "string" || typeof value === "number";
}

function isListOf(value: unknown, test: (item: unknown) => boolean): boolean {
  return Array.isArray(value) && value.every(test);
}
