import type { LayerFeature } from "../../api/resources.js";
import type { Column, RecordColumns } from "../column/column.js";

/** Layer features by column, with property keys instead of names. */
export interface FeatureColumns {
  readonly rowCount: number;
  /** Fields of the record except `properties`. Timestamps are the original strings. */
  readonly base: ReadonlyMap<BaseField, Column>;
  /** Values by property key; null for a feature without one. Keys in order of first occurrence. */
  readonly properties: ReadonlyMap<string, Column>;
}

/** A field of a layer feature that is a separate column. */
export type BaseField = Exclude<keyof LayerFeature, "properties">;

/** The base fields in the specification's order. */
export const baseFields: readonly BaseField[] = [
  "id",
  "visible_id",
  "geometry",
  "dataset_id",
  "site_id",
  "operation_id",
  "company_id",
  "semantic_type",
  "description",
  "created_at",
  "updated_at",
];

/** Whether a name is that of a base field. */
export function isBaseField(name: string): name is BaseField {
  return baseFields.some((field) => field === name);
}

/** Columns of layer features from records in memory. */
export function featureColumnsOfRecords(features: readonly LayerFeature[]): FeatureColumns {
  const base = new Map<BaseField, Column>(
    baseFields.map((field) => [field, features.map((feature) => feature[field] ?? null)]),
  );
  const properties = new Map<string, unknown[]>();
  features.forEach((feature, row) => {
    for (const [key, value] of Object.entries(feature.properties)) {
      let column = properties.get(key);
      if (!column) {
        column = new Array<unknown>(features.length).fill(null);
        properties.set(key, column);
      }
      column[row] = value;
    }
  });
  return { rowCount: features.length, base, properties };
}

/** Columns of layer features that were read from bytes. */
export function featureColumnsOfBytes({ rowCount, fields, properties }: RecordColumns): FeatureColumns {
  return { rowCount, base: new Map(baseFields.map((field) => [field, fields.get(field) ?? []])), properties };
}
