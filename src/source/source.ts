import type { ColumnTable } from "arquero";
import type { Page } from "../api/page.js";
import type { Params } from "../api/params.js";
import { resolveFilters } from "../api/resolve-filters.js";
import type { Dataset, Records, ResourceName } from "../api/resources.js";
import type { ReadOptions } from "../client/read-options.js";
import type { Origin, Reader } from "../client/reader.js";
import { featureColumns } from "../columns/feature-columns.js";
import { recordTable } from "../columns/record-table.js";
import { buildHistory, featureIds } from "../history/build-history.js";
import type { History } from "../history/history.js";
import type { HistoryOptions } from "../history/history-options.js";
import { Layer } from "../layer/layer.js";
import type { LayerInput, LayerOptions } from "../layer/layer-data.js";
import { layerDatasets } from "./layer-datasets.js";

/**
 * Anything that records can be read from: the live API, a snapshot folder, records in memory.
 *
 * Parameters are the API's own: one value, an array of values, or null where the API accepts null. An empty array
 * selects nothing and sends nothing; an unknown parameter is an `ArgumentError` before any request. Every call reads
 * all pages, or throws: never a table that is silently short.
 */
export class Source {
  readonly #reader: Reader;
  readonly #close: () => Promise<void>;

  /** @internal */
  constructor(reader: Reader, close: () => Promise<void> = async () => {}) {
    this.#reader = reader;
    this.#close = close;
  }

  /** @internal */
  get reader(): Reader {
    return this.#reader;
  }

  /** Where the records come from. Never holds a key. */
  get origin(): Origin {
    return this.#reader.origin;
  }

  /** Sites as a table, one row a site. Specification: GET /sites. */
  sites(params: Params<"sites"> = {}, options: ReadOptions = {}): Promise<ColumnTable> {
    return this.#table("sites", params, options);
  }

  /** Operations (data captures) as a table. Specification: GET /operations. */
  operations(params: Params<"operations"> = {}, options: ReadOptions = {}): Promise<ColumnTable> {
    return this.#table("operations", params, options);
  }

  /** Blocks of operations as a table; `operation_id` is required. Specification: GET /blocks. */
  blocks(params: Params<"blocks">, options: ReadOptions = {}): Promise<ColumnTable> {
    return this.#table("blocks", params, options);
  }

  /** Datasets as a table. Specification: GET /datasets. */
  datasets(params: Params<"datasets"> = {}, options: ReadOptions = {}): Promise<ColumnTable> {
    return this.#table("datasets", params, options);
  }

  /** Property definitions as a table. Specification: GET /propertyDefinitions. */
  propertyDefinitions(params: Params<"propertyDefinitions"> = {}, options: ReadOptions = {}): Promise<ColumnTable> {
    return this.#table("propertyDefinitions", params, options);
  }

  /**
   * The layer features that the parameters select, with readable columns. At least one of `site_id`,
   * `operation_id`, `dataset_id`, `semantic_type` is needed. Specification: GET /layerFeatures.
   */
  async layer(params: Params<"layerFeatures">, options: LayerOptions & ReadOptions = {}): Promise<Layer> {
    const filters = resolveFilters("layerFeatures", params);
    const [features, definitions, datasets] = await Promise.all([
      this.#reader.all("layerFeatures", params, options),
      this.#reader.all("propertyDefinitions", {}, quiet(options)),
      this.#reader.all("datasets", {}, quiet(options)),
    ]);
    const input: LayerInput = {
      features: featureColumns(features.rows),
      definitions: definitions.rows,
      datasets: datasets.rows,
      layoutDatasetIds: layoutDatasetIds(layerDatasets(datasets.rows, filters), features.rows),
      origin: this.origin,
      readAt: features.readAt,
      findings: features.findings,
      options: { duplicateNames: options.duplicateNames ?? "merge", optionLabels: options.optionLabels ?? false },
    };
    return new Layer(input, (layer, historyOptions) => this.#history(layer, { ...options, ...historyOptions }));
  }

  /** The history of the features that the parameters select: the same as `(await source.layer(params)).history()`. */
  async history(params: Params<"layerFeatures">, options: LayerOptions & HistoryOptions = {}): Promise<History> {
    const layer = await this.layer(params, options);
    return layer.history(options);
  }

  /** Raw records, lazily, page by page, complete or ending in a `DriftError`. */
  records<R extends ResourceName>(
    resource: R,
    params: Params<R>,
    options: ReadOptions = {},
  ): AsyncIterable<Records[R]> {
    return this.#reader.records(resource, params, options);
  }

  /** The pages as the service sends them; `_sortBy` is accepted here. */
  pages<R extends ResourceName>(
    resource: R,
    params: Params<R> & { readonly _sortBy?: string | readonly string[] },
    options: ReadOptions = {},
  ): AsyncIterable<Page<Records[R]>> {
    return this.#reader.pages(resource, params, options);
  }

  /** Closes connections and files. Reads under way end with an error. */
  close(): Promise<void> {
    return this.#close();
  }

  async #table<R extends ResourceName>(resource: R, params: Params<R>, options: ReadOptions): Promise<ColumnTable> {
    const { rows } = await this.#reader.all(resource, params, options);
    return recordTable(resource, rows);
  }

  async #history(layer: Layer, options: HistoryOptions): Promise<History> {
    const layer_feature_id = featureIds(layer.input.features);
    const read = await this.#reader.all("propertyChanges", { layer_feature_id }, options);
    return buildHistory(layer.input, read, options);
  }
}

/** Options for reads beside the main one, whose progress nobody asked for. */
function quiet(options: ReadOptions): ReadOptions {
  const { onProgress: _, ...rest } = options;
  return rest;
}

function layoutDatasetIds(
  selected: readonly Dataset[],
  features: readonly { readonly dataset_id: number }[],
): readonly number[] {
  return [...new Set([...selected.map(({ id }) => id), ...features.map(({ dataset_id }) => dataset_id)])];
}
