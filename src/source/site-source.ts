import { inspect } from "node:util";
import type { Params } from "../api/filters.js";
import type { SemanticType } from "../api/resources.js";
import { type ReadOptions, readRules } from "../client/read-options.js";
import { ArgumentError } from "../core/errors.js";
import { tellPromises } from "../core/forgotten-await.js";
import { nearNames } from "../core/nearest-name.js";
import { provenanceOf } from "../core/provenance.js";
import { showValue } from "../core/show-value.js";
import type { HistoryOptions } from "../history/history-options.js";
import type { History, Layer } from "../layer/layer.js";
import type { LayerOptions } from "../layer/layer-data.js";
import type { ResourceRow, RowTable } from "../tables/column/row-table.js";
import { toTable, withProvenance } from "../tables/column/table.js";
import { byName, nearNamesHint } from "./find-site.js";
import { siteBlocks } from "./site-blocks.js";

/** A row of `site.layers()`: a dataset with features of the site. */
export interface LayerRow {
  /** Name of the dataset. */
  readonly name: string;
  /** What the dataset's features represent. */
  readonly semantic_type: string | null;
  /** Id of the dataset. */
  readonly dataset_id: number;
  /** Id of the operation; null for datasets of the site itself. */
  readonly operation_id: number | null;
  /** State of the dataset. */
  readonly status: string;
}

/** Reads of a site from its source. */
interface SiteReads {
  datasets(params: Params<"datasets">, options: ReadOptions): Promise<RowTable<ResourceRow<"datasets">>>;
  operations(params: Params<"operations">, options: ReadOptions): Promise<RowTable<ResourceRow<"operations">>>;
  blocks(params: Params<"blocks">, options: ReadOptions): Promise<RowTable<ResourceRow<"blocks">>>;
  layer(params: Params<"layerFeatures">, options: LayerOptions & ReadOptions): Promise<Layer>;
  history(params: Params<"layerFeatures">, options: LayerOptions & HistoryOptions): Promise<History>;
}

/** A site of a source, with its layers by name. */
export class SiteSource {
  static {
    tellPromises("site", SiteSource.prototype);
  }

  /** The site's record, with timestamps as `Date`s. */
  readonly record: ResourceRow<"sites">;
  readonly #source: SiteReads;

  /** @internal */
  constructor(source: SiteReads, record: ResourceRow<"sites">) {
    this.#source = source;
    this.record = record;
  }

  /** The site's id: `site_id` of its records. */
  get id(): number {
    return this.record.id;
  }

  /** The site's name. */
  get name(): string {
    return this.record.name;
  }

  /** @internal What terminals and notebooks print. */
  [inspect.custom](): string {
    return `Site ${this.id}: ${showValue(this.name)}`;
  }

  /**
   * Returns the datasets of the site with features, one row each, in order of id. These are the names that `layer()`
   * accepts. Records in memory do not contain how a dataset is stored, so all datasets are listed.
   *
   * @example
   * ```ts
   * await site.layers()
   * ```
   */
  async layers(options: ReadOptions = {}): Promise<RowTable<LayerRow>> {
    const layerDatasets = await this.#source.datasets({ site_id: this.id, type: "geojson-layer" }, options);
    const datasets =
      layerDatasets.numRows() > 0 ? layerDatasets : await this.#source.datasets({ site_id: this.id }, options);
    const rows = datasets.objects().sort((a, b) => a.id - b.id);
    const table = toTable([
      ["name", rows.map(({ name }) => name)],
      ["semantic_type", rows.map(({ semantic_type }) => semantic_type)],
      ["dataset_id", rows.map(({ id }) => id)],
      ["operation_id", rows.map(({ operation_id }) => operation_id)],
      ["status", rows.map(({ status }) => status)],
    ]) as RowTable<LayerRow>;
    const age = provenanceOf(datasets);
    return age ? withProvenance(table, age) : table;
  }

  /**
   * Returns a layer of the site: all features of a semantic type, or of the datasets with a name.
   *
   * @param name a semantic type (`"PUNCH_LIST_ITEMS"`) or the name of a dataset (`"Tickets"`), in any case. A semantic
   * type wins over a dataset with the same name; several datasets with one name, for example of several captures, are
   * read together
   * @example
   * ```ts
   * const fences = await site.layer("FENCES");
   * fences.length
   * ```
   * @throws ArgumentError if the site has neither, with similar names
   */
  layer(name: SemanticType, options?: LayerOptions & ReadOptions): Promise<Layer>;
  layer<Row extends object>(name: SemanticType, options?: LayerOptions & ReadOptions): Promise<Layer<RowTable<Row>>>;
  async layer(name: string, options: LayerOptions & ReadOptions = {}): Promise<Layer> {
    return this.#source.layer(await this.#params(name, options), options);
  }

  /**
   * Returns the history of a layer of the site, the same as `(await site.layer(name)).history()`.
   *
   * @example
   * ```ts
   * const fences = await site.history("FENCES", { timeZone: "Europe/Madrid" });
   * fences.length
   * ```
   */
  history(name: SemanticType, options?: LayerOptions & HistoryOptions): Promise<History>;
  history<Row extends object>(
    name: SemanticType,
    options?: LayerOptions & HistoryOptions,
  ): Promise<History<RowTable<Row>>>;
  async history(name: string, options: LayerOptions & HistoryOptions = {}): Promise<History> {
    return this.#source.history(await this.#params(name, options), options);
  }

  /**
   * Returns the operations (captures) of the site, as `source.operations({ site_id })`.
   *
   * @param params of `source.operations()`
   * @example
   * ```ts
   * (await site.operations({ status: "COMPLETED" })).select("id", "date_captured", "data_product_name")
   * ```
   */
  operations(
    params: Omit<Params<"operations">, "site_id"> = {},
    options: ReadOptions = {},
  ): Promise<RowTable<ResourceRow<"operations">>> {
    return this.#source.operations({ ...params, site_id: this.id }, options);
  }

  /**
   * Returns the blocks of the site as a table, for basemaps: `layerMap(panels, "STATUS", { basemap: await site.blocks()
   * })`. If repeated operations have blocks with the same name, the block of the last operation is used. Needs two
   * reads: the site's operations, and their blocks.
   *
   * @example
   * ```ts
   * (await site.blocks()).select("name", "operation_id")
   * ```
   */
  async blocks(options: ReadOptions = {}): Promise<RowTable<ResourceRow<"blocks">>> {
    const operations = (await this.operations({}, quiet(options))).objects();
    const blocks = await this.#source.blocks({ operation_id: operations.map(({ id }) => id) }, options);
    const { recordTable } = await import("../tables/column/row-table.js");
    const table = recordTable("blocks", siteBlocks(operations, blocks.objects()));
    const age = provenanceOf(blocks);
    return age ? withProvenance(table, age) : table;
  }

  async #params(name: string, options: ReadOptions): Promise<Params<"layerFeatures">> {
    if (typeof name !== "string") {
      throw new ArgumentError(`layer(): invalid name ${showValue(name)}.`, {
        hint: "Pass a semantic type or the name of a dataset.",
      });
    }
    const rows = (await this.layers(quiet(options))).objects();
    const [type] = byName(rows, (row) => row.semantic_type, name);
    if (type) return { site_id: this.id, semantic_type: type.semantic_type };
    const dataset_id = byName(rows, (row) => row.name, name).map((row) => row.dataset_id);
    if (dataset_id.length > 0) return { site_id: this.id, dataset_id };
    const names = [...new Set(rows.flatMap((row) => [row.semantic_type ?? [], row.name].flat()))];
    const near = nearNames(name, names);
    throw new ArgumentError(`${this.name} has no layer ${showValue(name)}.`, {
      hint: nearNamesHint(
        near,
        names.map((one) => showValue(one)),
      ),
      facts: { site: this.id, layer: name, near },
    });
  }
}

/** Options for all reads of a layer, without the progress display of the main one. */
function quiet(options: ReadOptions): ReadOptions {
  const given = Object.entries(options).filter(([name]) => Object.hasOwn(readRules, name));
  return { ...Object.fromEntries(given), onProgress: undefined, onDiagnostic: undefined, showProgress: false };
}
