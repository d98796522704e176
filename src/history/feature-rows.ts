import type { Column } from "../columns/column.js";
import type { BaseField, FeatureColumns } from "../columns/feature-columns.js";
import { parseInstant } from "../core/instant.js";
import { baseColumn } from "../layer/build-layer.js";

/** The features of a history as rows, with their base fields. */
export class FeatureRows {
  readonly count: number;
  /** All rows, in order. */
  readonly rows: Int32Array;
  /** Creation of each feature, microseconds since 1970. */
  readonly createdUs: Float64Array;
  readonly #features: FeatureColumns;
  readonly #base = new Map<BaseField, Column>();

  constructor(features: FeatureColumns) {
    this.count = features.rowCount;
    this.rows = new Int32Array(this.count).map((_, row) => row);
    this.createdUs = Float64Array.from(features.base.get("created_at") ?? [], (text) => {
      const instant = typeof text === "string" ? parseInstant(text) : undefined;
      return instant?.us ?? Number.NEGATIVE_INFINITY;
    });
    this.#features = features;
  }

  /** A base field as the layer shows it; made when first asked for. */
  base(field: BaseField): Column {
    const column = this.#base.get(field) ?? baseColumn(this.#features, field);
    this.#base.set(field, column);
    return column;
  }
}
