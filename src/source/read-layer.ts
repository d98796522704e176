import type { ResolvedFilters } from "../api/params.js";
import type { Dataset } from "../api/resources.js";
import type { ReadOptions } from "../client/ask/read-options.js";
import type { Reader } from "../client/read/reader.js";
import type { FeatureColumns } from "../columns/read/feature-columns.js";
import { checkOptions } from "../core/check-options.js";
import { featureIds, historyFromLog } from "../history/build-history.js";
import type { History } from "../history/history.js";
import { type HistoryOptions, historyRules } from "../history/history-options.js";
import { resolveTimeZone } from "../history/time/valid-time.js";
import { Layer } from "../layer/layer.js";
import type { LayerInput, LayerOptions } from "../layer/layer-data.js";
import { baseTimeFindings } from "./base-times.js";
import { layerDatasets } from "./layer-datasets.js";
import { readFeatures } from "./read-features.js";
import { readLog } from "./read-log.js";

const NO_FILTERS: ResolvedFilters = new Map();

/** Reads layer features with the definitions and datasets that name and order their columns. */
export async function readLayer(
  reader: Reader,
  filters: ResolvedFilters,
  options: LayerOptions & ReadOptions,
): Promise<Layer> {
  return new Layer(await readLayerInput(reader, filters, options), async (layer, historyOptions) => {
    checkOptions("history()", historyOptions, historyRules);
    return readHistory(reader, layer, { ...options, ...historyOptions });
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

async function readHistory(reader: Reader, { input }: Layer, options: HistoryOptions): Promise<History> {
  // A slip shows before the log is read, which can take minutes.
  resolveTimeZone(options.timeZone);
  const ids = featureIds(input.features);
  const { log, whole, findings, readAt } = await readLog(reader, ids, {
    ...options,
    strict: isStrict(reader, options),
  });
  return historyFromLog(input, log, { ...options, readAt, findings }, whole);
}

function isStrict(reader: Reader, options: ReadOptions): boolean {
  return options.strict ?? reader.strict ?? true;
}

/** Options for reads beside the main one, whose progress nobody asked for. */
function quiet(options: ReadOptions): ReadOptions {
  const { onProgress: _, ...rest } = options;
  return { ...rest, progress: false };
}

function layoutDatasetIds(selected: readonly Dataset[], features: FeatureColumns): readonly number[] {
  const ids = new Set(selected.map(({ id }) => id));
  for (const id of features.base.get("dataset_id") ?? []) ids.add(Number(id));
  return [...ids];
}
