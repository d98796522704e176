import { GONE_FEATURES } from "../format/manifest.js";

/** Descriptions of the tables of a lake, by name. */
const tables: Readonly<Record<string, string>> = {
  sites: "Sites, one row per site.",
  operations: "Captures of sites, one row per capture.",
  blocks: "Blocks of captures, with their areas.",
  datasets: "Datasets of features, one row per dataset.",
  property_definitions: "Definitions of custom properties: name, type and options.",
  layer_features:
    "Current features of all semantic types, one row per feature. The views of semantic types have their properties as columns.",
  property_changes: "The change log, one row per change of a property of a feature.",
  [GONE_FEATURES]: "Features of earlier pulls that the service no longer returns.",
};

/** Descriptions of columns, by name; the same in every table. */
const columns: Readonly<Record<string, string>> = {
  record: "The original record of the service, as JSON text.",
  record_bytes: "Length of `record` in bytes of UTF-8, to skip or batch large records without reading them.",
  properties: "Current values by property key: JSON texts; UUIDs in lower case.",
  geometry: "Geometry in longitude and latitude (OGC:CRS84); null if it is missing or malformed, see `record`.",
  bbox: "Bounding box of `geometry`.",
  site_id: "Site, `sites.id`; also in the name of the file's folder.",
  dataset_id: "Dataset, `datasets.id`.",
  operation_id: "Capture, `operations.id`; null for features that do not belong to a capture.",
  layer_feature_id: "Feature, `layer_features.id`.",
  property_key: "A built-in key (`STATUS`), or the UUID of a property definition in lower case.",
  new_value: "The value after the change, as JSON text.",
  created_at: "Creation time of the record; for changes, the time of the edit.",
  updated_at: "Time of the last update by the service.",
  caused_by_change_id: "The change that caused this one, `property_changes.id`.",
  user_id: "User id of the change's author; null for the system.",
  system: "Whether the system made the change.",
  semantic_type: "Kind of feature, for example `TRENCHES`.",
  visible_id: "Readable identifier of a feature.",
  gone_at: "Time of the first generation without the feature.",
};

/** The comment of a table or column of a lake; undefined if its name is clear enough. */
export function lakeComment(table: string, column?: string): string | undefined {
  const comments = column === undefined ? tables : columns;
  const name = column ?? table;
  return Object.hasOwn(comments, name) ? comments[name] : undefined;
}
