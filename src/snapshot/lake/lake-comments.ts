import { GONE_FEATURES } from "../format/manifest.js";

/** What the tables of a lake hold, by name. */
const tables: Readonly<Record<string, string>> = {
  sites: "Sites, one row a site.",
  operations: "Captures of sites, one row a capture.",
  blocks: "Blocks of captures, with their areas.",
  datasets: "Datasets of features, one row a dataset.",
  property_definitions: "Definitions of custom properties: name, type and options.",
  layer_features:
    "Current features of all semantic types, one row a feature. The views of semantic types have their properties as columns.",
  property_changes: "The log, one row a change of a property of a feature.",
  [GONE_FEATURES]: "Features that an earlier pull read and a later one did not.",
};

/** What columns hold, by name: the same in every table that has them. */
const columns: Readonly<Record<string, string>> = {
  record: "The record as the service sent it, JSON text.",
  record_bytes:
    "Length of `record` in bytes of UTF-8, so that a reader can skip or batch large records without reading them.",
  properties: "Current values by property key: JSON texts; UUIDs in lower case.",
  geometry: "Geometry in longitude and latitude (OGC:CRS84); null if it is missing or malformed, see `record`.",
  bbox: "Smallest box around `geometry`.",
  site_id: "Site, `sites.id`; the folder of a file has it in its name.",
  dataset_id: "Dataset, `datasets.id`.",
  operation_id: "Capture, `operations.id`; null for features that do not belong to a capture.",
  layer_feature_id: "Feature, `layer_features.id`.",
  property_key: "A built-in key (`STATUS`), or the UUID of a property definition in lower case.",
  new_value: "The value after the change, as JSON text.",
  created_at: "When it was created; of a change, when it was made.",
  updated_at: "When the service changed it last.",
  caused_by_change_id: "The change that caused this one, `property_changes.id`.",
  user_id: "User id of the author of the change; null for the system.",
  system: "Whether the system made the change.",
  semantic_type: "What a feature is, for example `TRENCHES`.",
  visible_id: "Identifier of a feature that people read.",
  gone_at: "Time of the generation that no longer had the feature.",
};

/** The comment of a table or column of a lake; undefined if its name says all. */
export function lakeComment(table: string, column?: string): string | undefined {
  const comments = column === undefined ? tables : columns;
  const name = column ?? table;
  return Object.hasOwn(comments, name) ? comments[name] : undefined;
}
