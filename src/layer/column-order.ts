import type { Dataset } from "../api/resources.js";
import { type Diagnostic, withSeverity } from "../core/diagnostic.js";
import { compareText } from "../core/json.js";
import type { NamedColumn } from "./name-columns.js";
import { canonicalKey } from "./property-key.js";

/**
 * Property columns in display order: by layout, a merged column at the first position of its keys; then the others by name,
 * in code unit order.
 */
export function orderColumns(columns: readonly NamedColumn[], layout: readonly string[]): readonly NamedColumn[] {
  const indexByKey = new Map(layout.map((key, index) => [canonicalKey(key), index]));
  const placeOf = ({ keys }: NamedColumn) =>
    Math.min(...keys.map(({ key }) => indexByKey.get(canonicalKey(key)) ?? Number.POSITIVE_INFINITY));
  const placed = columns.map((column) => ({ column, place: placeOf(column) }));
  placed.sort((a, b) => (a.place === b.place ? compareText(a.column.column, b.column.column) : a.place - b.place));
  return placed.map(({ column }) => column);
}

/**
 * The property keys in the layouts of datasets, in display order: datasets by id, sections flattened, the first occurrence
 * of a key counts. Entries that are neither a property nor a section are skipped. Specification: Dataset,
 * layout_definition.
 */
export function layoutKeys(datasets: readonly Dataset[]): readonly string[] {
  const keys = new Set<string>();
  for (const dataset of [...datasets].sort((a, b) => a.id - b.id)) {
    for (const key of entryKeys(dataset)) if (key !== undefined) keys.add(key);
  }
  return [...keys];
}

/** The diagnostic for datasets whose layout has entries that are neither a property nor a section. */
export function layoutDiagnostics(datasets: readonly Dataset[]): readonly Diagnostic[] {
  const broken = datasets.flatMap((dataset) => {
    const count = [...entryKeys(dataset)].filter((key) => key === undefined).length;
    return count > 0 ? [{ id: dataset.id, count }] : [];
  });
  if (broken.length === 0) return [];
  const count = broken.reduce((sum, entry) => sum + entry.count, 0);
  const ids = broken.map(({ id }) => id).sort((a, b) => a - b);
  return [
    withSeverity({
      code: "layout-entry-unknown",
      message: `${count} ${count === 1 ? "entry" : "entries"} in the ${ids.length === 1 ? "layout of dataset" : "layouts of datasets"} ${ids.join(", ")} ${count === 1 ? "is" : "are"} neither a property nor a section and ${count === 1 ? "was" : "were"} skipped.`,
      count,
      facts: { dataset_ids: ids },
    }),
  ];
}

/** The key of each entry in a layout; undefined for an invalid entry. */
function* entryKeys({ layout_definition }: Dataset): Iterable<string | undefined> {
  const layout: unknown = layout_definition;
  if (layout === null || layout === undefined) return;
  const entries = member(layout, "items");
  if (!Array.isArray(entries)) {
    yield undefined;
    return;
  }
  for (const entry of entries) {
    const items = member(entry, "items");
    if (member(entry, "type") !== "PROPERTY" && Array.isArray(items)) yield* items.map(propertyKey);
    else yield propertyKey(entry);
  }
}

function propertyKey(entry: unknown): string | undefined {
  const key = member(entry, "property_definition_id");
  return member(entry, "type") === "PROPERTY" && typeof key === "string" && key !== "" ? key : undefined;
}

function member(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}
