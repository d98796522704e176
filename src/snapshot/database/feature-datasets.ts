/** Type of datasets with layer features. */
const FEATURE_TYPE = "geojson-layer";

/** Whether a dataset of a type may have layer features; true for unknown types. */
export function mayHoldFeatures(type: unknown): boolean {
  return (type ?? FEATURE_TYPE) === FEATURE_TYPE;
}

/**
 * SQL condition that the dataset of a layer feature may have features.
 *
 * @param datasets name of the table of datasets
 */
export function whereMayHoldFeatures(datasets: string): string {
  return `dataset_id NOT IN (SELECT id FROM ${datasets} WHERE type <> '${FEATURE_TYPE}')`;
}
