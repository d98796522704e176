import type { Block, Dataset, PropertyDefinition } from "../api/resources.js";
import { type ReadOptions, readRules } from "../client/read-options.js";
import type { Diagnostic } from "../core/diagnostic.js";
import { flag, type OptionRules, oneOf } from "../core/options.js";
import type { Origin } from "../core/provenance.js";
import { type TimeZones, timeZonesRule } from "../core/time-zone.js";
import type { BaseField, FeatureColumns } from "../tables/read/feature-columns.js";
import type { DuplicateNames } from "./name-columns.js";

/** Options of `source.layer()` for its columns. */
export interface LayerOptions {
  /** Columns for several properties with the same name: one if they agree, one each, or an error. Default: `"merge"`. */
  readonly duplicateNames?: DuplicateNames;
  /** Whether OPTION codes are replaced with their labels. Default: false. */
  readonly optionLabels?: boolean;
  /**
   * Time zone in which times are shown and written, and DATETIME values without an offset are read: an IANA name, or names
   * by site id. Default: that of the source, else `"UTC"`.
   */
  readonly timeZone?: TimeZones | undefined;
}

/** One column of a layer. */
export interface ColumnSchema {
  /** Name of the column. */
  readonly column: string;
  /** Property keys whose values the column holds; empty for base fields. */
  readonly property_keys: readonly string[];
  /** The definitions of those keys; empty for base fields, built-in keys and keys without a definition. */
  readonly definitions: readonly PropertyDefinition[];
  /** Type in the definition, as the API names it; for base fields, type in the contract; otherwise the observed JSON type. */
  readonly type: string;
  /** Rows without a value. */
  readonly nulls: number;
  /** Base field of the feature, built-in key, property with or without a definition, or `layer.derive()`. */
  readonly source: "base" | "built-in" | "definition" | "unresolved" | "derived";
  /** Unit of a derived column's numbers, if given. Properties have theirs in the definitions. */
  readonly unit?: string;
  /** Time zone of the column's times, if it is not the layer's. */
  readonly timeZone?: string;
}

/** The unit of a column's numbers: the given unit, or the first in its definitions. */
export function columnUnit({ unit, definitions }: Pick<ColumnSchema, "unit" | "definitions">): string | undefined {
  if (unit !== undefined) return unit;
  const units = definitions.map(({ config }) => config?.["unit"]).filter((given) => typeof given === "string");
  return units[0];
}

/** Input of a layer. */
export interface LayerInput {
  readonly features: FeatureColumns;
  readonly definitions: readonly PropertyDefinition[];
  /** Every dataset that the API key can read. */
  readonly datasets: readonly Dataset[];
  /** Ids of the datasets whose layouts order the columns and keep them stable. */
  readonly layoutDatasetIds: readonly number[];
  readonly origin: Origin;
  /** When the features were read, in milliseconds since 1970. */
  readonly readAt: number;
  /** Blocks of the features' operations or sites, if the source has them. */
  readonly blocks: readonly Block[];
  /** Diagnostics of the read. */
  readonly diagnostics: readonly Diagnostic[];
  /** Time zone of the features' sites, or `"UTC"` if they have several. */
  readonly timeZone: string;
  readonly options: Required<Omit<LayerOptions, "timeZone">>;
}

/** Base columns of features, before and after the properties. */
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

/** Rules of the options of `source.layer()`. */
export const layerRules: OptionRules<LayerOptions & ReadOptions> = {
  ...readRules,
  duplicateNames: oneOf("merge", "suffix", "error"),
  optionLabels: flag,
  timeZone: timeZonesRule,
};
