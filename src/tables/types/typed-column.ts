import type { Column } from "../column/column.js";
import { countTypes } from "../column/count-types.js";
import { DateColumn } from "../column/date-column.js";
import type { ColumnKind } from "./column-kind.js";
import type { DeclaredType } from "./declared-type.js";
import { type DefinitionKind, definitionKind } from "./definition-kind.js";
import { seenKind } from "./seen-kind.js";
import { type Mismatches, typeMismatches } from "./type-mismatches.js";

/** A column as exports give it: every value is of its kind, or null. */
export interface TypedColumn {
  readonly kind: ColumnKind;
  readonly values: Column;
  /** Values that are not of the definition's type, and null here. */
  readonly mismatches: Mismatches;
}

const fieldKinds: Readonly<Record<string, ColumnKind>> = {
  integer: "integer",
  string: "text",
  timestamp: "instant",
  geometry: "geometry",
  date: "date",
};

const noMismatches: Mismatches = { count: 0, examples: [] };

/**
 * A column by what is declared of it. A definition's type is kept to, whatever single values are; a field is as the
 * contract says, unless a read that is not strict let something else pass; all other columns are what their values are.
 */
export function typedColumn(values: Column, declared: DeclaredType | undefined): TypedColumn {
  const kind = declared?.of === "property" ? definitionKind(declared.type) : undefined;
  if (kind) return columnOfKind(values, kind, typeMismatches(values, declared?.type));
  return { kind: looseKind(values, declared), values, mismatches: noMismatches };
}

function looseKind(values: Column, declared: DeclaredType | undefined): ColumnKind {
  const field = declared?.of === "property" ? undefined : fieldKinds[declared?.type ?? ""];
  // Geometries take long to decode, and are not looked into for this.
  if (field === "geometry" && countTypes(values).json + countTypes(values).null === values.length) return field;
  const seen = seenKind(values);
  if (field && (seen === undefined || field === seen || (seen === "text" && readsTexts.has(field)))) return field;
  // The next number of a property without a definition may be no integer, and its next object no geometry.
  if (declared?.of === "property" && seen === "integer") return "number";
  return (declared?.of === "property" && seen === "geometry" ? "json" : seen) ?? "text";
}

/** Columns of them tell their texts' types. */
const readsTexts: ReadonlySet<ColumnKind> = new Set(["instant", "date"]);

function columnOfKind(values: Column, kind: DefinitionKind, mismatches: Mismatches): TypedColumn {
  const fitting =
    mismatches.count === 0 ? values : new MappedColumn(values, (value) => (fits(kind, value) ? value : null));
  if (kind.many && countTypes(fitting).json > 0) {
    const items = kind.many === "texts" ? (value: unknown) => list(value).map(String) : list;
    return {
      kind: kind.many,
      values: new MappedColumn(fitting, (value) => (isNone(value) ? null : items(value))),
      mismatches,
    };
  }
  if (kind.one === "instant") return { kind: "instant", values: new DateColumn(fitting), mismatches };
  const isCode = kind.many === "texts" && countTypes(fitting).number > 0;
  const texts = isCode ? new MappedColumn(fitting, (value) => (isNone(value) ? null : String(value))) : fitting;
  return { kind: kind.one, values: texts, mismatches };
}

function fits(kind: DefinitionKind, value: unknown): boolean {
  return !isNone(value) && kind.accepts(value);
}

function isNone(value: unknown): boolean {
  return value === null || value === undefined;
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [value];
}

/** A column whose values are made of another's when they are read. */
class MappedColumn implements Column {
  readonly length: number;
  readonly #source: Column;
  readonly #map: (value: unknown) => unknown;

  constructor(source: Column, map: (value: unknown) => unknown) {
    this.length = source.length;
    this.#source = source;
    this.#map = map;
  }

  at(row: number): unknown {
    return this.#map(this.#source.at(row));
  }

  *[Symbol.iterator](): Iterator<unknown> {
    for (const value of this.#source) yield this.#map(value);
  }
}
