import { type ColumnKind, isInt64, type PropertyRule, propertyRule } from "../../api/property-types.js";
import { dateOf, exactUs } from "../../core/instant.js";
import { type Column, computedColumn, countTypes, DateColumn, PickedColumn } from "../column/column.js";
import type { DeclaredType } from "./declared-type.js";
import { isGeometryType } from "./geometry-types.js";
import { type Mismatches, noMismatches, typeMismatches } from "./type-mismatches.js";

/** A column for exports: every value is of its kind, or null. */
export interface TypedColumn {
  readonly kind: ColumnKind;
  readonly values: Column;
  /** Values that do not fit the definition's type, which are null here. */
  readonly mismatches: Mismatches;
}

const fieldKinds: Readonly<Record<string, ColumnKind>> = {
  integer: "integer",
  string: "text",
  timestamp: "instant",
  geometry: "geometry",
  date: "date",
};

/**
 * A typed column by its declaration. A definition's type always applies, whatever the single values. A field has the
 * type of the contract, unless a lenient read accepted another value. Other columns have the kind of their values.
 */
export function typedColumn(values: Column, declared: DeclaredType | undefined): TypedColumn {
  const isOfVerb = declared?.of === "verb";
  const rule = isOfVerb || declared?.of === "property" ? propertyRule(declared.type) : undefined;
  const mismatches = typeMismatches(values, rule && declared?.type);
  if (rule && !(isOfVerb && mismatches.count > 0)) return columnOfType(values, rule, mismatches);
  return { kind: looseKind(values, isOfVerb ? undefined : declared), values, mismatches: noMismatches };
}

/** The common kind of a column's values; undefined without values. */
function seenKind(values: Column): ColumnKind | undefined {
  const counts = countTypes(values);
  if (counts.json > 0 && counts.string === 0 && counts.boolean === 0 && every(values, isInteger)) {
    return every(values, isInt64) ? "integer" : "text";
  }
  const [only, ...others] = (["boolean", "number", "string", "json"] as const).filter((type) => counts[type] > 0);
  if (others.length > 0) return "json";
  if (only === "number") return every(values, isInt64) ? "integer" : "number";
  if (only === "string") return "text";
  if (only !== "json") return only;
  if (every(values, (value) => value instanceof Date)) return "instant";
  return every(values, isGeometry) ? "geometry" : "json";
}

/** Integers that a double cannot hold are `bigint`s, next to numbers. */
function isInteger(value: unknown): boolean {
  return typeof value === "bigint" || Number.isInteger(value);
}

function every(values: Column, test: (value: unknown) => boolean): boolean {
  for (const value of values) if (value !== null && value !== undefined && !test(value)) return false;
  return true;
}

function isGeometry(value: unknown): boolean {
  if (typeof value !== "object" || value === null || !("type" in value)) return false;
  if (value.type === "GeometryCollection") return "geometries" in value && Array.isArray(value.geometries);
  return isGeometryType(value.type) && "coordinates" in value && Array.isArray(value.coordinates);
}

function looseKind(values: Column, declared: DeclaredType | undefined): ColumnKind {
  const type = isOfDates(values) ? "timestamp" : declared?.type;
  const field = declared?.of === "property" ? undefined : fieldKinds[type ?? ""];
  // Geometries are slow to decode, and are not inspected for this.
  if (field === "geometry" && countTypes(values).json + countTypes(values).null === values.length) return field;
  const seen = seenKind(values);
  if (field && (seen === undefined || field === seen || (seen === "text" && readsTexts.has(field)))) return field;
  // In a property without a definition, the next number may be a fraction, and the next object may not be a geometry.
  if (declared?.of === "property" && seen === "integer") return "number";
  return (declared?.of === "property" && seen === "geometry" ? "json" : seen) ?? "text";
}

/** Such a column counts the strings that it converts to `Date`s. */
function isOfDates(values: Column): boolean {
  return values instanceof PickedColumn ? isOfDates(values.source) : values instanceof DateColumn;
}

/** Columns of these kinds can count the types of their strings. */
const readsTexts: ReadonlySet<ColumnKind> = new Set(["instant", "date"]);

function columnOfType(values: Column, rule: PropertyRule, mismatches: Mismatches): TypedColumn {
  const { kind, listKind, refersTo } = rule;
  const fitting = mismatches.count === 0 ? values : mappedColumn(values, (value) => (fits(rule, value) ? value : null));
  if (listKind && countTypes(fitting).json > 0) {
    const items = listKind === "texts" ? (value: unknown) => list(value).map(String) : list;
    return {
      kind: listKind,
      values: mappedColumn(fitting, (value) => (isNone(value) ? null : items(value))),
      mismatches,
    };
  }
  if (kind === "instant") return { kind, values: instants(fitting), mismatches };
  const isCode = refersTo === "options" && countTypes(fitting).number > 0;
  const texts = isCode ? mappedColumn(fitting, (value) => (isNone(value) ? null : String(value))) : fitting;
  return { kind, values: texts, mismatches };
}

/** Verbs can have made strings of a column of times. */
function instants(values: Column): Column {
  if (isOfDates(values)) return values;
  return mappedColumn(values, (value) => (typeof value === "string" ? dateOf(exactUs(value) ?? Number.NaN) : value));
}

function fits(rule: PropertyRule, value: unknown): boolean {
  return !isNone(value) && rule.accepts(value);
}

/** Whether a value is missing. */
export function isNone(value: unknown): boolean {
  return value === null || value === undefined;
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [value];
}

/** A column whose values are computed from another's when they are read. */
function mappedColumn(source: Column, map: (value: unknown) => unknown): Column {
  return computedColumn(source.length, (row) => map(source.at(row)));
}
