import type { ColumnTable } from "arquero";
import type { Field, Resource } from "../api/contract.js";
import { resources } from "../api/resources.js";
import type { ExactUs } from "../core/instant.js";
import { canonicalJson, compareText } from "../core/json.js";
import { toTable } from "../tables/column/table.js";
import type { ExportColumn, ExportTable } from "../tables/export/export-table.js";
import { instantUs, plainValues } from "../tables/export/export-values.js";
import { type ColumnSchema, columnUnit } from "./layer-data.js";

/** How many frequent values `describe()` lists. */
const TOP = 3;

interface Summary {
  readonly distinct: number;
  readonly min: unknown;
  readonly max: unknown;
  readonly top: string | null;
  readonly example: unknown;
}

/**
 * Returns the data dictionary of a layer, one row per column: `column`, `definition` (meaning), `type`, `unit`, `nulls`,
 * `distinct`, `min` and `max` (numbers, dates, instants, else null), `top` (most frequent strings and booleans, with their
 * counts), `example`.
 */
export function describeLayer(frame: ExportTable, schema: readonly ColumnSchema[]): ColumnTable {
  const rows = schema.map((entry, index) => ({ entry, ...summary(frame.columns[index], frame.rowCount) }));
  return toTable([
    ["column", rows.map(({ entry }) => entry.column)],
    ["definition", rows.map(({ entry }) => meaning(entry))],
    ["type", rows.map(({ entry }) => entry.type)],
    ["unit", rows.map(({ entry }) => schemaUnit(entry))],
    ["nulls", rows.map(({ entry }) => entry.nulls)],
    ["distinct", rows.map(({ distinct }) => distinct)],
    ["min", rows.map(({ min }) => min)],
    ["max", rows.map(({ max }) => max)],
    ["top", rows.map(({ top }) => top)],
    ["example", rows.map(({ example }) => example)],
  ]);
}

function summary(column: ExportColumn | undefined, rowCount: number): Summary {
  if (!column) return { distinct: 0, min: null, max: null, top: null, example: null };
  const at = plainValues(column);
  const orderOf = orderedValues(column);
  const counts = new Map<unknown, number>();
  let [min, max]: readonly [Ordered | undefined, Ordered | undefined] = [undefined, undefined];
  let example: unknown = null;
  for (let row = 0; row < rowCount; row += 1) {
    const value = at(row);
    if (value === null) continue;
    example ??= value;
    // Keys of strings and arrays differ: an array begins with a bracket, a string with a quote.
    const key = typeof value === "object" ? canonicalJson(value) : typeof value === "string" ? `"${value}` : value;
    counts.set(key, (counts.get(key) ?? 0) + 1);
    if (!orderOf) continue;
    const entry = { value, order: orderOf(row) };
    if (!min || entry.order < min.order) min = entry;
    if (!max || entry.order > max.order) max = entry;
  }
  const hasTop = column.kind === "text" || column.kind === "boolean";
  return {
    distinct: counts.size,
    min: min?.value ?? null,
    max: max?.value ?? null,
    top: hasTop ? topValues(counts) : null,
    example,
  };
}

/** A value, and its place among the others. */
interface Ordered {
  readonly value: unknown;
  readonly order: ExactUs | string;
}

/** What orders the values of a column: numbers, microseconds, calendar dates; undefined for other columns. */
function orderedValues({ kind, values }: ExportColumn): ((row: number) => ExactUs | string) | undefined {
  if (kind === "instant") return instantUs(values);
  if (kind === "date") return (row) => String(values.at(row));
  if (kind === "integer" || kind === "number") return (row) => values.at(row) as number | bigint;
  return undefined;
}

function topValues(counts: ReadonlyMap<unknown, number>): string | null {
  const keyText = (key: unknown) => String(key).replace(/^"/, "");
  const ranked = [...counts].sort(([a, m], [b, n]) => n - m || compareText(String(a), String(b)));
  const top = ranked.slice(0, TOP).map(([key, count]) => `${keyText(key)} (${count})`);
  return top.length === 0 ? null : top.join(", ");
}

function meaning({ source, column, definitions }: ColumnSchema): string | null {
  if (source === "base") return baseField(column)?.description ?? null;
  if (source === "built-in") return "Built-in property.";
  if (source === "derived") return "Derived column.";
  const texts = definitions.map(({ description }) => description).filter((text) => text !== null && text !== "");
  return texts.length === 0 ? null : [...new Set(texts)].join(" / ");
}

/** The unit of a column's numbers; of a base field, that of the contract. */
export function schemaUnit(entry: ColumnSchema): string | null {
  if (entry.source === "base") return baseField(entry.column)?.unit ?? null;
  return columnUnit(entry) ?? null;
}

function baseField(name: string): Field | undefined {
  const contract: Resource = resources.layerFeatures;
  return contract.fields[name];
}
