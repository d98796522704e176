import { dayUs, parseInstant } from "../../core/instant.js";
import { type Column, PickedColumn } from "../column/column.js";

/** What is said of a column's values by the contract or by a definition. */
export interface DeclaredType {
  /**
   * A field of the feature, a property, a column that a table adds, or a column that a verb made of a column with dates: it
   * has the type only if all of its values do.
   */
  readonly of: "field" | "property" | "table" | "verb";
  /** As the API names it: `integer` and `timestamp` of fields, `FLOAT` of definitions; undefined without a definition. */
  readonly type: string | undefined;
  /** The property key whose values the column holds, or one of them. */
  readonly key?: string | undefined;
}

/** By the column itself: Arquero's verbs pass columns on as long as their values are the same. */
const types = new WeakMap<Column, DeclaredType>();

/** Says what the values of a column are declared to be. Returns the same column. */
export function declareType<C extends Column>(column: C, type: DeclaredType): C {
  types.set(column, type);
  return column;
}

/** What the values of a column are declared to be; undefined for a column that nobody has said it of. */
export function declaredType(column: Column): DeclaredType | undefined {
  return types.get(column) ?? (column instanceof PickedColumn ? declaredType(column.source) : undefined);
}

/** What a definition's type promises of each value. */
export interface DefinitionKind {
  /** What a column of such values is, where no value is an array. */
  readonly one: "integer" | "number" | "boolean" | "text" | "date" | "instant";
  /** What it is where some are arrays; absent if none may be. */
  readonly many?: "integers" | "texts";
  /** Whether a value is of the type. */
  accepts(value: unknown): boolean;
}

const number: DefinitionKind = { one: "number", accepts: (value) => typeof value === "number" };
const text: DefinitionKind = { one: "text", accepts: (value) => typeof value === "string" };
const instant: DefinitionKind = {
  one: "instant",
  accepts: (value) => typeof value === "string" && parseInstant(value) !== undefined,
};

/** Codes of options are texts or numbers, and several may be chosen. */
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
 * What a definition's type promises; undefined for types that are not known, which the specification does not list
 * completely. Specification: Property definition.
 */
export function definitionKind(type: string | undefined): DefinitionKind | undefined {
  return type !== undefined && Object.hasOwn(kinds, type) ? kinds[type] : undefined;
}

/** Whether a value is an integer that 64 bits hold. */
export function isInt64(value: unknown): boolean {
  if (typeof value === "bigint") return BigInt.asIntN(64, value) === value;
  return Number.isInteger(value) && Math.abs(Number(value)) < 2 ** 63;
}

/** Whether a value is a text `2025-06-30` of a day that exists. */
export function isDate(value: unknown): boolean {
  return typeof value === "string" && dayUs(value) !== undefined;
}

function isCode(value: unknown): boolean {
  return typeof value === "string" || typeof value === "number";
}

/** What a column of an exported table holds, besides nulls. */
export type ColumnKind =
  /** Integers of 64 bits. */
  | "integer"
  | "number"
  | "boolean"
  | "text"
  /** Calendar dates, as texts `2025-06-30`. */
  | "date"
  /** `Date`s, with microseconds where the column knows them. */
  | "instant"
  /** Arrays of integers. */
  | "integers"
  /** Arrays of texts. */
  | "texts"
  /** GeoJSON geometries. */
  | "geometry"
  /** Any JSON, also of several types. */
  | "json";
