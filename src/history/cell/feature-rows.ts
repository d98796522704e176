import { baseColumn } from "../../layer/build-layer.js";
import type { Column } from "../../tables/column/column.js";
import { DateColumn } from "../../tables/column/date-column.js";
import type { BaseField, FeatureColumns } from "../../tables/read/feature-columns.js";
import { pickedColumn } from "../columns/computed-column.js";
import { RowFinder } from "./row-finder.js";

/** The features of a history as rows, with their base fields. */
export class FeatureRows {
  readonly count: number;
  /** All rows, in order. */
  readonly rows: Int32Array;
  /** Creation of each feature, microseconds since 1970; −Infinity where the record does not say. */
  readonly createdUs: Float64Array;
  readonly #features: FeatureColumns;
  readonly #base = new Map<BaseField, Column>();
  #finder: RowFinder | undefined;

  constructor(features: FeatureColumns) {
    this.count = features.rowCount;
    this.rows = new Int32Array(this.count).map((_, row) => row);
    const created = new DateColumn(features.base.get("created_at") ?? []);
    this.createdUs = Float64Array.from(this.rows, (row) => {
      const us = created.us(row);
      return Number.isNaN(us) ? Number.NEGATIVE_INFINITY : us;
    });
    this.#base.set("created_at", created);
    this.#features = features;
  }

  /** Finds rows by ids; made when first asked for. */
  get finder(): RowFinder {
    this.#finder ??= new RowFinder(this.base("id"));
    return this.#finder;
  }

  /** The records of some of the features. */
  pick(rows: Int32Array): FeatureColumns {
    const { base, properties } = this.#features;
    if (rows.length === this.count) return this.#features;
    const picked = <Name>(columns: ReadonlyMap<Name, Column>) =>
      new Map([...columns].map(([name, column]) => [name, pickedColumn(column, rows)]));
    return { rowCount: rows.length, base: picked(base), properties: picked(properties) };
  }

  /** A base field as the layer shows it; made when first asked for. */
  base(field: BaseField): Column {
    const column = this.#base.get(field) ?? baseColumn(this.#features, field);
    this.#base.set(field, column);
    return column;
  }
}
