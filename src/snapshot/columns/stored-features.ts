import type { FilterValue, ResolvedFilters } from "../../api/params.js";
import { type BaseField, baseFields, type FeatureColumns } from "../../tables/read/feature-columns.js";
import { PartsColumn } from "./parts-column.js";
import { RowMap } from "./row-map.js";
import type { StoredColumn } from "./stored-column.js";
import type { StoredPart } from "./stored-part.js";

/**
 * The features of some parts as columns, in ascending order of id.
 *
 * @param filters what the features are selected by
 * @param isHidden whether the features of a dataset are not among the layer features
 */
export function storedFeatures(
  parts: readonly StoredPart[],
  filters: ResolvedFilters,
  isHidden: (datasetId: unknown) => boolean,
): FeatureColumns {
  const rows = inOrder(
    parts,
    new RowMap(
      parts.map((part) => part.rows),
      parts.map((part) => select(part, filters, isHidden)),
    ),
  );
  const column = (find: (part: StoredPart) => StoredColumn | undefined) => new PartsColumn(parts.map(find), rows);
  const base = new Map<BaseField, PartsColumn>(
    baseFields.map((field) => [field, column(({ fields }) => fields.get(field))]),
  );
  const properties = new Map(propertyKeys(parts, rows).map((key) => [key, column((part) => part.properties.get(key))]));
  return { rowCount: rows.length, base, properties };
}

/** The rows of a part that the filters select; undefined for all of them. */
function select(
  { rows, fields }: StoredPart,
  filters: ResolvedFilters,
  isHidden: (datasetId: unknown) => boolean,
): Uint32Array | undefined {
  const tests = [...filters].map(([name, values]) => {
    const wanted = new Set<unknown>(values);
    return test(fields.get(name), (value) => wanted.has(value as FilterValue));
  });
  tests.push(test(fields.get("dataset_id"), (value) => !isHidden(value)));
  const selected = new Uint32Array(rows);
  let count = 0;
  for (let row = 0; row < rows; row += 1) {
    if (tests.every((passes) => passes(row))) selected[count++] = row;
  }
  return count === rows ? undefined : selected.slice(0, count);
}

/** A test of rows that looks at each value of a column once. */
function test(column: StoredColumn | undefined, passes: (value: unknown) => boolean): (row: number) => boolean {
  const known = new Map<unknown, boolean>();
  return (row) => {
    const value = column?.at(row) ?? null;
    const answer = known.get(value) ?? passes(value);
    known.set(value, answer);
    return answer;
  };
}

/** Parts of several sites overlap in their ids. */
function inOrder(parts: readonly StoredPart[], rows: RowMap): RowMap {
  const column = new PartsColumn(
    parts.map(({ fields }) => fields.get("id")),
    rows,
  );
  const ids = Float64Array.from(column, Number);
  if (ids.every((id, row) => row === 0 || id > (ids[row - 1] ?? 0))) return rows;
  const order = Uint32Array.from(ids.keys());
  // The parts are runs in order already, which the sort makes use of.
  return rows.ordered(order.sort((a, b) => (ids[a] ?? 0) - (ids[b] ?? 0)));
}

/** The keys that selected features have, in order of first appearance. */
function propertyKeys(parts: readonly StoredPart[], { selected }: RowMap): readonly string[] {
  const keys = new Set<string>();
  for (const [part, { properties }] of parts.entries()) {
    for (const [key, column] of properties) {
      if (!keys.has(key) && (selected[part]?.some((row) => column.has(row)) ?? true)) keys.add(key);
    }
  }
  return [...keys];
}
