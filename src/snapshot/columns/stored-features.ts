import type { ResolvedFilters } from "../../api/filters.js";
import { operatorOf } from "../../api/select-records.js";
import { binarySearch } from "../../core/binary-search.js";
import {
  type Column,
  type CountedColumn,
  noTypes,
  readsQuietly,
  type TypeCounts,
  type ValueCounter,
} from "../../tables/column/column.js";
import { type BaseField, baseFields, type FeatureColumns } from "../../tables/read/feature-columns.js";
import type { StoredPart } from "./stored-changes.js";
import type { StoredColumn } from "./stored-column.js";

/**
 * The features of some parts as columns, in ascending order of id.
 *
 * @param filters of the features
 * @param isHidden whether the features of a dataset are not layer features
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

/** The selected rows of a part; undefined for all. */
function select(
  { rows, fields }: StoredPart,
  filters: ResolvedFilters,
  isHidden: (datasetId: unknown) => boolean,
): Uint32Array | undefined {
  const tests = [...filters].map(([name, values]) =>
    test(fields.get(name), operatorOf("layerFeatures", name).test(values)),
  );
  tests.push(test(fields.get("dataset_id"), (value) => !isHidden(value)));
  const selected = new Uint32Array(rows);
  let count = 0;
  for (let row = 0; row < rows; row += 1) {
    if (tests.every((passes) => passes(row))) selected[count++] = row;
  }
  return count === rows ? undefined : selected.slice(0, count);
}

/** A test of rows that checks each distinct value of a column once. */
function test(column: StoredColumn | undefined, passes: (value: unknown) => boolean): (row: number) => boolean {
  const hasChanges = new Map<unknown, boolean>();
  return (row) => {
    const value = column?.at(row) ?? null;
    const answer = hasChanges.get(value) ?? passes(value);
    hasChanges.set(value, answer);
    return answer;
  };
}

/** Ids of parts of several sites overlap. */
function inOrder(parts: readonly StoredPart[], rows: RowMap): RowMap {
  const column = new PartsColumn(
    parts.map(({ fields }) => fields.get("id")),
    rows,
  );
  const ids = Float64Array.from(column, Number);
  if (ids.every((id, row) => row === 0 || id > (ids[row - 1] as number))) return rows;
  const order = Uint32Array.from(ids.keys());
  // The parts are sorted runs, which makes the sort fast.
  return rows.ordered(order.sort((a, b) => (ids[a] as number) - (ids[b] as number)));
}

/** The keys of the selected features, in order of first appearance. */
function propertyKeys(parts: readonly StoredPart[], { selected }: RowMap): readonly string[] {
  const keys = new Set<string>();
  for (const [part, { properties }] of parts.entries()) {
    for (const [key, column] of properties) {
      if (!keys.has(key) && (selected[part]?.some((row) => column.has(row)) ?? true)) keys.add(key);
    }
  }
  return [...keys];
}

/** A column over the parts of a table. Values are read from the files on access. */
class PartsColumn implements Column, CountedColumn {
  static {
    readsQuietly(PartsColumn.prototype);
  }

  readonly length: number;
  readonly #parts: readonly (StoredColumn | undefined)[];
  readonly #rows: RowMap;
  #counts: TypeCounts | undefined;

  /** @param parts the column of each part; undefined if no record of the part has the member */
  constructor(parts: readonly (StoredColumn | undefined)[], rows: RowMap) {
    this.length = rows.length;
    this.#parts = parts;
    this.#rows = rows;
  }

  at(row: number): unknown {
    if (!(row >= 0 && row < this.length)) return undefined;
    return this.#parts[this.#rows.partAt(row)]?.at(this.#rows.rowInPart(row)) ?? null;
  }

  /** Microseconds since 1970 of a timestamp; NaN if the value is not an instant. */
  us(row: number): number {
    return this.#parts[this.#rows.partAt(row)]?.us(this.#rows.rowInPart(row)) ?? Number.NaN;
  }

  /** Rows of parts without microseconds; only strings of existing instants in one form are stored as microseconds. */
  rowsWithoutForm(): Iterable<number> {
    const isFormed = this.#parts.every(
      (part) => part === undefined || part.entry.kind === "instant" || isEmpty(part.entry.counts),
    );
    return isFormed ? [] : Array.from({ length: this.length }).keys();
  }

  /** Rows that may have an invalid geometry; empty if the column files mark all geometries as valid. */
  rowsWithoutGeometry(): readonly number[] {
    const isSound = this.#parts.every((part) => part === undefined || part.entry.hasSoundGeometries === true);
    return isSound ? [] : [...Array(this.length).keys()];
  }

  countInto(counter: ValueCounter): void {
    for (const [part, column] of this.#parts.entries()) {
      if (column) column.countInto(counter, this.#rows.selected[part]);
      else counter.add(null, this.#rows.countOf(part));
    }
  }

  countTypes(): TypeCounts {
    this.#counts ??= this.#count();
    return this.#counts;
  }

  *[Symbol.iterator](): Iterator<unknown> {
    for (let row = 0; row < this.length; row += 1) yield this.at(row);
  }

  #count(): TypeCounts {
    const counts = noTypes();
    let counted = 0;
    for (const [part, column] of this.#parts.entries()) {
      if (!column) continue;
      const selected = this.#rows.selected[part];
      if (selected) for (const row of selected) counts[column.typeAt(row)] += 1;
      else
        for (const type of ["null", "boolean", "number", "string", "json"] as const)
          counts[type] += column.entry.counts[type];
      counted += selected?.length ?? totalOf(column.entry.counts);
    }
    counts.null += this.length - counted;
    return counts;
  }
}

function isEmpty(counts: TypeCounts): boolean {
  return totalOf(counts) === counts.null;
}

function totalOf(counts: TypeCounts): number {
  return counts.null + counts.boolean + counts.number + counts.string + counts.json;
}

/** Selected rows of some parts, in some order. */
class RowMap {
  readonly length: number;
  /** Selected rows of each part; undefined for all. */
  readonly selected: readonly (Uint32Array | undefined)[];
  /** Start of each part among the selected rows, and the end of the last. */
  readonly #starts: readonly number[];
  /** The selected rows in the wanted order; undefined if they are already in order. */
  readonly #order: Uint32Array | undefined;
  #part = 0;

  /** @param rows count of each part */
  constructor(rows: readonly number[], selected: readonly (Uint32Array | undefined)[], order?: Uint32Array) {
    const starts = [0];
    for (const [part, count] of rows.entries())
      starts.push((starts[part] as number) + (selected[part]?.length ?? count));
    this.selected = selected;
    this.length = starts.at(-1) ?? 0;
    this.#starts = starts;
    this.#order = order;
  }

  /** The same rows in another order. */
  ordered(order: Uint32Array): RowMap {
    const rows = this.#starts.slice(1).map((_, part) => this.countOf(part));
    return new RowMap(rows, this.selected, order);
  }

  /** Count of rows of a part. */
  countOf(part: number): number {
    return (this.#starts[part + 1] as number) - (this.#starts[part] as number);
  }

  /** The part of a row. */
  partAt(row: number): number {
    return this.#partOf(this.#indexAt(row));
  }

  /** Index of a row in its part. */
  rowInPart(row: number): number {
    const index = this.#indexAt(row);
    const part = this.#partOf(index);
    const chosen = index - (this.#starts[part] as number);
    return this.selected[part]?.[chosen] ?? chosen;
  }

  /** Index of a row among the selected rows of all parts in sequence. */
  #indexAt(row: number): number {
    return this.#order ? (this.#order[row] as number) : row;
  }

  /** Neighbors mostly belong to the same part. */
  #partOf(index: number): number {
    const starts = this.#starts;
    if (index < (starts[this.#part] as number) || index >= (starts[this.#part + 1] as number)) this.#search(index);
    return this.#part;
  }

  /** Separate from the method above, which would otherwise allocate memory for this closure on each call. */
  #search(index: number): void {
    const starts = this.#starts;
    this.#part = Math.max(0, binarySearch(starts.length - 1, (part) => (starts[part] as number) <= index) - 1);
  }
}
