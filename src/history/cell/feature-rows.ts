import { baseColumn } from "../../layer/build-layer.js";
import { baseColumns, type LayerInput } from "../../layer/layer-data.js";
import { type Column, PickedColumn } from "../../tables/column/column.js";
import { instantUs } from "../../tables/export/export-values.js";
import type { BaseField, FeatureColumns } from "../../tables/read/feature-columns.js";

/** The features of a history as rows, with their base fields. */
export class FeatureRows {
  readonly count: number;
  /** All rows, in order. */
  readonly rows: Int32Array;
  /** Creation time of each feature, in microseconds since 1970; −Infinity if unknown. */
  readonly createdUs: Float64Array;
  /**
   * When each feature was found to be deleted, in microseconds since 1970; Infinity if it exists. Undefined if all
   * exist.
   */
  readonly goneUs: Float64Array | undefined;
  readonly #features: FeatureColumns;
  readonly #base = new Map<BaseField, Column>();
  #finder: RowFinder | undefined;

  constructor(features: FeatureColumns, goneUs?: Float64Array) {
    this.count = features.rowCount;
    this.goneUs = goneUs;
    this.rows = new Int32Array(this.count).map((_, row) => row);
    this.#features = features;
    const usOf = instantUs(this.base("created_at"));
    this.createdUs = Float64Array.from(this.rows, (row) => {
      const us = Number(usOf(row));
      return Number.isNaN(us) ? Number.NEGATIVE_INFINITY : us;
    });
  }

  /** The base fields that features have, before and after their properties. */
  get fields(): ReturnType<typeof baseColumns> {
    return baseColumns(this.#features);
  }

  /** Finds rows by ids; created on first use. */
  get finder(): RowFinder {
    this.#finder ??= new RowFinder(this.base("id"));
    return this.#finder;
  }

  /** The records of some of the features. */
  pick(rows: Int32Array): FeatureColumns {
    const { base, properties } = this.#features;
    if (rows.length === this.count) return this.#features;
    const ofRows = <Name>(columns: ReadonlyMap<Name, Column>) =>
      new Map([...columns].map(([name, column]) => [name, new PickedColumn(column, rows)]));
    return { rowCount: rows.length, base: ofRows(base), properties: ofRows(properties) };
  }

  /** A base field as in the layer; created on first use. */
  base(field: BaseField): Column {
    const column = this.#base.get(field) ?? baseColumn(this.#features, field);
    this.#base.set(field, column);
    return column;
  }
}

/** Ids are looked up in an array if it has at most this many elements per id. */
const SPARSEST = 16;

/** Finds the rows of features by their ids. */
export class RowFinder {
  readonly #first: number;
  /** Rows plus one by id, from the first id on, for closely spaced ids; otherwise a map is used. */
  readonly #dense: Int32Array;
  readonly #sparse = new Map<unknown, number>();

  constructor(ids: Column) {
    let [first, last] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    // String ids become NaN here: `#sparse` has them.
    const all = Float64Array.from(ids, (id) => (typeof id === "string" ? Number.NaN : Number(id)));
    for (const id of all) {
      if (id < first) first = id;
      if (id > last) last = id;
    }
    const idRange = all.length > 0 && all.every(Number.isSafeInteger) ? last - first + 1 : Number.POSITIVE_INFINITY;
    const isDense = idRange <= SPARSEST * all.length;
    this.#first = first;
    this.#dense = new Int32Array(isDense ? idRange : 0);
    for (let row = 0; row < all.length; row += 1) {
      const id = all[row] as number;
      if (isDense) this.#dense[id - first] = row + 1;
      else this.#sparse.set(Number.isNaN(id) ? ids.at(row) : id, row);
    }
  }

  /**
   * Finds the rows of features.
   *
   * @param ids numbers, or strings if features have such ids; other values are not ids
   * @returns −1 for unknown ids
   */
  findAll(ids: ArrayLike<unknown>): Int32Array {
    const rows = new Int32Array(ids.length);
    const dense = this.#dense;
    const first = this.#first;
    const isDense = dense.length > 0;
    for (let index = 0; index < rows.length; index += 1) {
      const given = ids[index];
      const id = typeof given === "bigint" ? Number(given) : given;
      if (isDense) rows[index] = typeof id === "number" ? (dense[id - first] ?? 0) - 1 : -1;
      else rows[index] = this.#sparse.get(id) ?? -1;
    }
    return rows;
  }
}

/** A layer that includes the features that were read before but were later deleted. */
export interface InputWithGone {
  /** The features in ascending order of id. */
  readonly input: LayerInput;
  /** Which of them are deleted; undefined if none. */
  readonly gone: GoneRows | undefined;
}

/** The deleted features of a history. */
export interface GoneRows {
  /** When each feature was found to be deleted, in microseconds since 1970; Infinity if it exists. */
  readonly us: Float64Array;
  /** Row of each feature in the layer; negative if it is deleted. */
  readonly layerRows: Int32Array;
}
