import type { ColumnTable } from "arquero";
import type { Field } from "../api/form/field.js";
import type { Resource } from "../api/form/resource.js";
import { resources } from "../api/resources.js";
import { canonicalJson, compareText } from "../core/json/json.js";
import { toTable } from "../tables/column/table.js";
import type { ExportColumn, ExportTable } from "../tables/export/export-table.js";
import { plainValues } from "../tables/export/plain-value.js";
import type { ColumnSchema } from "./layer-data.js";

/** How many of the most frequent values are listed. */
const TOP = 3;

/**
 * The data dictionary of a layer: one row a column.
 *
 * `column`, `definition` (what it means), `type`, `unit`, `nulls`, `distinct`, `min` and `max` (numbers, dates,
 * instants, else null), `top` (the most frequent values of texts and booleans, with their counts), `example`.
 */
export function describeLayer(frame: ExportTable, schema: readonly ColumnSchema[]): ColumnTable {
  const rows = schema.map((entry, index) => ({ entry, ...summary(frame.columns[index], frame.rowCount) }));
  return toTable([
    ["column", rows.map(({ entry }) => entry.column)],
    ["definition", rows.map(({ entry }) => meaning(entry))],
    ["type", rows.map(({ entry }) => entry.type)],
    ["unit", rows.map(({ entry }) => unit(entry))],
    ["nulls", rows.map(({ entry }) => entry.nulls)],
    ["distinct", rows.map(({ distinct }) => distinct)],
    ["min", rows.map(({ min }) => min)],
    ["max", rows.map(({ max }) => max)],
    ["top", rows.map(({ top }) => top)],
    ["example", rows.map(({ example }) => example)],
  ]);
}

interface Summary {
  readonly distinct: number;
  readonly min: unknown;
  readonly max: unknown;
  readonly top: string | null;
  readonly example: unknown;
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
    // Texts and arrays never have one key: the text of an array begins with a bracket, of a text with a quote.
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
 * Both are numbers, or both calendar dates or ISO 8601 texts in UTC, whose order is that of their texts up to the seconds'
 * decimals.
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
  const shown = (key: unknown) => String(key).replace(/^"/, "");
  const ranked = [...counts].sort(([a, m], [b, n]) => n - m || compareText(String(a), String(b)));
  const top = ranked.slice(0, TOP).map(([key, count]) => `${shown(key)} (${count})`);
  return top.length === 0 ? null : top.join(", ");
}

function meaning({ source, column, definitions }: ColumnSchema): string | null {
  if (source === "base") return baseField(column)?.description ?? null;
  if (source === "built-in") return "Built-in property.";
  const texts = definitions.map(({ description }) => description).filter((text) => text !== null && text !== "");
  return texts.length === 0 ? null : [...new Set(texts)].join(" / ");
}

function unit({ source, column, definitions }: ColumnSchema): string | null {
  if (source === "base") return baseField(column)?.unit ?? null;
  const units = definitions.map(({ config }) => config?.["unit"]).filter((given) => typeof given === "string");
  return units[0] ?? null;
}

function baseField(name: string): Field | undefined {
  const contract: Resource = resources.layerFeatures;
  return contract.fields[name];
}
