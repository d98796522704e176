import type { ColumnTable } from "arquero";
import type { Field, Resource } from "../api/contract.js";
import { resources } from "../api/resources.js";
import { canonicalJson, compareText } from "../core/json.js";
import { toTable } from "../tables/column/table.js";
import type { ExportColumn, ExportTable } from "../tables/export/export-table.js";
import { plainValues } from "../tables/export/export-values.js";
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
  const counts = new Map<unknown, number>();
  let min: unknown = null;
  let max: unknown = null;
  let example: unknown = null;
  const isOrdered = ["integer", "number", "date", "instant"].includes(column.kind);
  for (let row = 0; row < rowCount; row += 1) {
    const value = at(row);
    if (value === null) continue;
    example ??= value;
    // Keys of strings and arrays differ: an array begins with a bracket, a string with a quote.
    const key = typeof value === "object" ? canonicalJson(value) : typeof value === "string" ? `"${value}` : value;
    counts.set(key, (counts.get(key) ?? 0) + 1);
    if (!isOrdered) continue;
    if (min === null || isBelow(value, min)) min = value;
    if (max === null || isBelow(max, value)) max = value;
  }
  const hasTop = column.kind === "text" || column.kind === "boolean";
  return { distinct: counts.size, min, max, top: hasTop ? topValues(counts) : null, example };
}

/**
 * Whether `a` is below `b`. Both are numbers, calendar dates or ISO 8601 strings in UTC, whose order is that of the strings
 * up to the decimals of the seconds.
 */
function isBelow(a: unknown, b: unknown): boolean {
  return typeof a !== "string" && typeof b !== "string"
    ? Number(a) < Number(b)
    : compareText(instantKey(a), instantKey(b)) < 0;
}

function instantKey(value: unknown): string {
  return String(value).replace("Z", "").padEnd(26, "0");
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
