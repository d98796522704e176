import type { ResolvedFilters } from "../api/filters.js";
import type { Reader } from "../client/read/reader.js";
import type { ReadOptions } from "../client/read-options.js";
import { parseInstant } from "../core/instant.js";
import type { InputWithGone } from "../history/cell/feature-rows.js";
import type { HistoryOptions } from "../history/history-options.js";
import type { LayerInput } from "../layer/layer-data.js";
import { type Column, readsQuietly } from "../tables/column/column.js";
import { type FeatureColumns, featureColumnsOfRecords } from "../tables/read/feature-columns.js";

/** Adds features to a layer that a reader reports as gone, unless the options exclude them. */
export async function addGoneFeatures(
  reader: Reader,
  filters: ResolvedFilters,
  input: LayerInput,
  options: ReadOptions & Pick<HistoryOptions, "gone">,
): Promise<InputWithGone> {
  const goneFeatures = options.gone === "exclude" ? undefined : await reader.gone?.(filters, options);
  if (!goneFeatures || goneFeatures.records.length === 0) return { input, gone: undefined };
  const added = featureColumnsOfRecords(goneFeatures.records);
  const layerRows = mergedRows(input.features, added);
  const us = Float64Array.from(layerRows, (row) =>
    row >= 0 ? Number.POSITIVE_INFINITY : (goneFeatures.us[~row] as number),
  );
  return {
    input: { ...input, features: mergedFeatures(input.features, added, layerRows) },
    gone: { us, layerRows },
  };
}

/** Rows of both in ascending order of id: rows of the first, and rows of the second as −1, −2, … */
function mergedRows(first: FeatureColumns, second: FeatureColumns): Int32Array {
  const [ids, added] = [first.base.get("id") ?? [], second.base.get("id") ?? []];
  const rows = new Int32Array(first.rowCount + second.rowCount);
  let [next, nextAdded] = [0, 0];
  for (let row = 0; row < rows.length; row += 1) {
    const isFirst =
      nextAdded === added.length || (next < ids.length && Number(ids.at(next)) < Number(added.at(nextAdded)));
    rows[row] = isFirst ? next++ : ~nextAdded++;
  }
  return rows;
}

function mergedFeatures(first: FeatureColumns, second: FeatureColumns, rows: Int32Array): FeatureColumns {
  const merge = <Name>(present: ReadonlyMap<Name, Column>, added: ReadonlyMap<Name, Column>) =>
    new Map(
      [...new Set([...present.keys(), ...added.keys()])].map((name) => [
        name,
        new MergedColumn(present.get(name) ?? NOTHING, added.get(name) ?? NOTHING, rows),
      ]),
    );
  return {
    rowCount: rows.length,
    base: merge(first.base, second.base),
    properties: merge(first.properties, second.properties),
  };
}

const NOTHING: Column = [];

/** Values of two columns in one order. */
class MergedColumn implements Column {
  static {
    readsQuietly(MergedColumn.prototype);
  }

  readonly length: number;
  readonly #first: Column;
  readonly #second: Column;
  readonly #rows: Int32Array;

  /** @param rows of the first column; rows of the second as −1, −2, … */
  constructor(first: Column, second: Column, rows: Int32Array) {
    this.length = rows.length;
    this.#first = first;
    this.#second = second;
    this.#rows = rows;
  }

  at(row: number): unknown {
    const sourceRow = this.#rows[row];
    if (sourceRow === undefined) return undefined;
    return (sourceRow >= 0 ? this.#first.at(sourceRow) : this.#second.at(~sourceRow)) ?? null;
  }

  /** Microseconds since 1970 of a timestamp; NaN if the value is not an instant. */
  us(row: number): number {
    const sourceRow = this.#rows[row] as number;
    if (sourceRow >= 0 && hasTimes(this.#first)) return this.#first.us(sourceRow);
    const value = this.at(row);
    return (typeof value === "string" ? parseInstant(value)?.us : undefined) ?? Number.NaN;
  }

  *[Symbol.iterator](): Iterator<unknown> {
    for (let row = 0; row < this.length; row += 1) yield this.at(row);
  }
}

function hasTimes(column: Column): column is Column & { us(row: number): number } {
  return "us" in column;
}
