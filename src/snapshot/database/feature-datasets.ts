/** The type of the datasets that hold layer features. */
const FEATURE_TYPE = "geojson-layer";

/** Whether a dataset of a type may hold layer features: one whose type is not known may. */
export function mayHoldFeatures(type: unknown): boolean {
  return (type ?? FEATURE_TYPE) === FEATURE_TYPE;
}

/**
 * The SQL condition that the dataset of a layer feature may hold some.
 *
 * @param datasets name of the table of datasets
 */
export function whereMayHoldFeatures(datasets: string): string {
  return `dataset_id NOT IN (SELECT id FROM ${datasets} WHERE type <> '${FEATURE_TYPE}')`;
}
