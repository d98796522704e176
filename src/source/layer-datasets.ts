import type { ResolvedFilters } from "../api/params.js";
import type { Dataset } from "../api/resources.js";

const fieldOfFilter = {
  site_id: "site_id",
  operation_id: "operation_id",
  dataset_id: "id",
  semantic_type: "semantic_type",
} as const satisfies Readonly<Record<string, keyof Dataset>>;

/**
 * The datasets whose features a layer query can select. Their layouts give the layer its columns even where no
 * feature comes.
 */
export function layerDatasets(datasets: readonly Dataset[], filters: ResolvedFilters): readonly Dataset[] {
  return datasets.filter((dataset) =>
    Object.entries(fieldOfFilter).every(([name, field]) => filters.get(name)?.includes(dataset[field]) ?? true),
  );
}
