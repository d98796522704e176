import type { Block, Dataset, PropertyDefinition } from "../api/resources.js";
import type { Finding } from "../core/finding.js";
import type { Origin } from "../core/provenance.js";
import type { BaseField, FeatureColumns } from "../tables/read/feature-columns.js";
import type { DuplicateNames } from "./name-columns.js";

/** Options of `source.layer()` that say how columns come to be. */
export interface LayerOptions {
  /** Several properties of one name: one column where they agree (default), a column each, or an error. */
  readonly duplicateNames?: DuplicateNames;
  /** Whether OPTION codes are replaced with their labels. Default false. */
  readonly optionLabels?: boolean;
}

/** One column of a layer. */
export interface ColumnSchema {
  /** Name of the column. */
  readonly column: string;
  /** Property keys whose values the column holds; empty for base fields. */
  readonly property_keys: readonly string[];
  /** The definitions of those keys; empty for base fields, built-in keys and keys without a definition. */
  readonly definitions: readonly PropertyDefinition[];
  /** The definition's type as the API names it; for base fields the contract's; else the JSON type that was seen. */
  readonly type: string;
  /** Rows without a value. */
  readonly nulls: number;
  /** A field of the feature, a built-in key, a property with a definition, a UUID without one, or `layer.derive()`. */
  readonly source: "base" | "built-in" | "definition" | "unresolved" | "derived";
  /** Unit of a derived column's numbers, where it was said. Definitions say those of properties. */
  readonly unit?: string;
}

/** The unit of a column's numbers: as it was said, or by the first of its definitions that says one. */
export function columnUnit({ unit, definitions }: Pick<ColumnSchema, "unit" | "definitions">): string | undefined {
  if (unit !== undefined) return unit;
  const units = definitions.map(({ config }) => config?.["unit"]).filter((given) => typeof given === "string");
  return units[0];
}

/** Everything that a layer is made of. */
export interface LayerInput {
  readonly features: FeatureColumns;
  readonly definitions: readonly PropertyDefinition[];
  /** Every dataset that the key can read. */
  readonly datasets: readonly Dataset[];
  /** Ids of the datasets whose layouts order the columns and keep them stable. */
  readonly layoutDatasetIds: readonly number[];
  readonly origin: Origin;
  /** When the features were read, milliseconds since 1970. */
  readonly readAt: number;
  /** Blocks of the operations that the features are of, or of their sites, where a source has them at hand. */
  readonly blocks: readonly Block[];
  /** What the reading found. */
  readonly findings: readonly Finding[];
  readonly options: Required<LayerOptions>;
}

/** The base columns that features have, before and after the properties. */
export function baseColumns({ base }: FeatureColumns): {
  readonly leading: readonly BaseField[];
  readonly trailing: readonly BaseField[];
} {
  const isThere = (field: BaseField) => base.has(field);
  return { leading: leadingFields.filter(isThere), trailing: trailingFields.filter(isThere) };
}

/** Base columns before and after the properties. */
export const leadingFields: readonly BaseField[] = ["id", "visible_id"];
export const trailingFields: readonly BaseField[] = [
  "semantic_type",
  "dataset_id",
  "operation_id",
  "site_id",
  "company_id",
  "description",
  "created_at",
  "updated_at",
  "geometry",
];
