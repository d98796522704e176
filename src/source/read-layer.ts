import type { ResolvedFilters } from "../api/params.js";
import type { Dataset } from "../api/resources.js";
import type { ReadOptions } from "../client/ask/read-options.js";
import type { Reader } from "../client/read/reader.js";
import { Layer } from "../layer/layer.js";
import type { LayerInput, LayerOptions } from "../layer/layer-data.js";
import type { FeatureColumns } from "../tables/read/feature-columns.js";
import { baseTimeFindings } from "./base-times.js";
import { isStrict } from "./is-strict.js";
import { layerDatasets } from "./layer-datasets.js";
import { readFeatures } from "./read-features.js";

const NO_FILTERS: ResolvedFilters = new Map();

/** Reads layer features with the definitions and datasets that name and order their columns. */
export async function readLayer(
  reader: Reader,
  filters: ResolvedFilters,
  options: LayerOptions & ReadOptions,
): Promise<Layer> {
  return new Layer(await readLayerInput(reader, filters, options), async (layer, historyOptions) => {
    // A layer alone needs none of it, and it is half of what there is to load.
    const { readHistory } = await import("./read-history.js");
    return readHistory(reader, layer, options, historyOptions);
  });
}

/** What a layer is made of. */
export async function readLayerInput(
  reader: Reader,
  filters: ResolvedFilters,
  options: LayerOptions & ReadOptions,
): Promise<LayerInput> {
  const [{ columns: features, readAt, findings }, definitions, datasets] = await Promise.all([
    readFeatures(reader, filters, options),
    reader.all("propertyDefinitions", NO_FILTERS, quiet(options)),
    reader.all("datasets", NO_FILTERS, quiet(options)),
  ]);
  const timeFindings = baseTimeFindings(features, isStrict(reader, options));
  return {
    features,
    definitions: definitions.rows,
    datasets: datasets.rows,
    layoutDatasetIds: layoutDatasetIds(layerDatasets(datasets.rows, filters), features),
    origin: reader.origin,
    readAt,
    findings: [...findings, ...timeFindings],
    options: { duplicateNames: options.duplicateNames ?? "merge", optionLabels: options.optionLabels ?? false },
  };
}

/** Options for reads beside the main one, whose progress nobody asked for. */
function quiet(options: ReadOptions): ReadOptions {
  const { onProgress: _, ...rest } = options;
  return { ...rest, progress: false };
}

function layoutDatasetIds(selected: readonly Dataset[], features: FeatureColumns): readonly number[] {
  const ids = new Set(selected.map(({ id }) => id));
  const column = features.base.get("dataset_id") ?? [];
  let before: unknown;
  for (let row = 0; row < column.length; row += 1) {
    const id = column.at(row);
    // Neighbours are mostly of one dataset.
    if (id !== before) ids.add(Number(id));
    before = id;
  }
  return [...ids];
}
