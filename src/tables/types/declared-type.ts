import { dayUs, parseInstant } from "../../core/instant.js";
import { type Column, PickedColumn } from "../column/column.js";

/** The declared type of a column's values, by the contract or a definition. */
export interface DeclaredType {
  /**
   * A field of the feature, a property, a column that a table adds, or a column that a verb derived from a column with
   * dates: it has the type only if all of its values do.
   */
  readonly of: "field" | "property" | "table" | "verb";
  /** Type in the API: `integer` and `timestamp` of fields, `FLOAT` of definitions; undefined without a definition. */
  readonly type: string | undefined;
  /** The property key of the column's values, or one of them. */
  readonly key?: string | undefined;
}

/** By column object: Arquero's verbs pass columns on unless their values change. */
const types = new WeakMap<Column, DeclaredType>();

/** Sets the declared type of a column. Returns the same column. */
export function declareType<C extends Column>(column: C, type: DeclaredType): C {
  types.set(column, type);
  return column;
}

/** The declared type of a column; undefined if not set. */
export function declaredType(column: Column): DeclaredType | undefined {
  return types.get(column) ?? (column instanceof PickedColumn ? declaredType(column.source) : undefined);
}

/** The guarantees of a definition's type for each value. */
export interface DefinitionKind {
  /** Kind of a column of such values, if no value is an array. */
  readonly one: "integer" | "number" | "boolean" | "text" | "date" | "instant";
  /** Kind if some are arrays; undefined if arrays are not allowed. */
  readonly many?: "integers" | "texts";
  /** Whether a value has the type. */
  accepts(value: unknown): boolean;
}

const number: DefinitionKind = { one: "number", accepts: (value) => typeof value === "number" };
const text: DefinitionKind = { one: "text", accepts: (value) => typeof value === "string" };
const instant: DefinitionKind = {
  one: "instant",
  accepts: (value) => typeof value === "string" && parseInstant(value) !== undefined,
};

/** Codes of options are strings or numbers, and several may be chosen. */
const option: DefinitionKind = {
  one: "text",
  many: "texts",
  accepts: (value) => isCode(value) || (Array.isArray(value) && value.every(isCode)),
};

/** Ids of features, which are integers. */
const relationship: DefinitionKind = {
  one: "integer",
  many: "integers",
  accepts: (value) => isInt64(value) || (Array.isArray(value) && value.every(isInt64)),
};

const kinds: Readonly<Record<string, DefinitionKind>> = {
  INTEGER: { one: "integer", accepts: isInt64 },
  FLOAT: number,
  DOUBLE: number,
  NUMBER: number,
  DECIMAL: number,
  BOOLEAN: { one: "boolean", accepts: (value) => typeof value === "boolean" },
  DATE: { one: "date", accepts: isDate },
  DATETIME: instant,
  TIMESTAMP: instant,
  STRING: text,
  TEXT: text,
  OPTION: option,
  RELATIONSHIP: relationship,
};

/**
 * The guarantees of a definition's type; undefined for unknown types, because the list in the specification is
 * incomplete. Specification: Property definition.
 */
export function definitionKind(type: string | undefined): DefinitionKind | undefined {
  return type !== undefined && Object.hasOwn(kinds, type) ? kinds[type] : undefined;
}

/** Whether a value is a 64-bit integer. */
export function isInt64(value: unknown): boolean {
  if (typeof value === "bigint") return BigInt.asIntN(64, value) === value;
  return Number.isInteger(value) && Math.abs(Number(value)) < 2 ** 63;
}

/** Whether a value is a string `2025-06-30` of an existing day. */
export function isDate(value: unknown): boolean {
  return typeof value === "string" && dayUs(value) !== undefined;
}

function isCode(value: unknown): boolean {
  return typeof value === "string" || typeof value === "number";
}

/** Kind of the values of an exported column, besides nulls. */
export type ColumnKind =
  /** 64-bit integers. */
  | "integer"
  | "number"
  | "boolean"
  | "text"
  /** Calendar dates, as strings `2025-06-30`. */
  | "date"
  /** `Date`s, with microseconds if the column has them. */
  | "instant"
  /** Arrays of integers. */
  | "integers"
  /** Arrays of strings. */
  | "texts"
  /** GeoJSON geometries. */
  | "geometry"
  /** Any JSON, also of mixed types. */
  | "json";
