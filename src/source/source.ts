import { inspect } from "node:util";
import type { Page } from "../api/contract.js";
import { type Params, resolveFilters } from "../api/filters.js";
import type { Records, ResourceName } from "../api/resources.js";
import type { Reader } from "../client/read/reader.js";
import { type PageParams, type ReadOptions, readRules, resolvePageParams } from "../client/read-options.js";
import { tellPromises } from "../core/forgotten-await.js";
import { checkOptions } from "../core/options.js";
import { isForOthers, type Origin, type Provenance, provenance, siteChannel } from "../core/provenance.js";
import { checkTimeZones, commonTimeZone, type TimeZones } from "../core/time-zone.js";
import type { HistoryOptions } from "../history/history-options.js";
import type { History, Layer } from "../layer/layer.js";
import type { LayerOptions } from "../layer/layer-data.js";
import { layerRules } from "../layer/layer-data.js";
import type { ResourceRow, RowTable } from "../tables/column/row-table.js";
import type { SiteSource } from "./site-source.js";

/**
 * A source of records: the live API, a snapshot folder, or records in memory.
 *
 * Parameters are the API's own: one value, an array of values, or null if the API accepts null. An empty array selects
 * nothing and sends no request; an unknown parameter is an `ArgumentError` before any request. Every call reads all
 * pages or throws: tables are never silently incomplete.
 */
export class Source {
  static {
    tellPromises("source", Source.prototype);
  }

  /** Time zone of the sites, or time zones by site id. */
  readonly timeZone: TimeZones | undefined;
  readonly #reader: Reader;
  readonly #close: () => Promise<void>;

  /**
   * @internal
   * @throws ArgumentError for an unknown time zone
   */
  constructor(reader: Reader, close: () => Promise<void> = async () => {}, timeZone?: TimeZones) {
    checkTimeZones(timeZone);
    this.timeZone = timeZone;
    this.#reader = reader;
    this.#close = close;
  }

  /** @internal */
  get reader(): Reader {
    return this.#reader;
  }

  /** Service, folder or file of the records. Never contains a key. */
  get origin(): Origin {
    return this.#reader.origin;
  }

  /** @internal What terminals and notebooks print. */
  [inspect.custom](): string {
    const { name, generation } = this.origin;
    const address = isForOthers() ? "" : `: ${name}`;
    return `${this.constructor.name}${address}${generation ? `, generation ${generation}` : ""}`;
  }

  /** Origin and age of the records; undefined for a live source, since each read has its own time. */
  get provenance(): Provenance | undefined {
    const { origin, readAt } = this.#reader;
    return readAt === undefined ? undefined : provenance(origin, readAt);
  }

  /**
   * Returns the sites as a table, one row per site. Specification: GET /sites.
   *
   * @example
   * ```ts
   * (await source.sites()).select("id", "name", "type", "stage")
   * ```
   */
  sites(params: Params<"sites"> = {}, options: ReadOptions = {}): Promise<RowTable<ResourceRow<"sites">>> {
    return this.table("sites", params, options);
  }

  /**
   * Returns the operations (captures) as a table. Specification: GET /operations.
   *
   * @example
   * ```ts
   * const captures = await source.operations({ site_id: 101, status: "COMPLETED" });
   * captures.select("id", "date_captured", "data_product_name")
   * ```
   */
  operations(
    params: Params<"operations"> = {},
    options: ReadOptions = {},
  ): Promise<RowTable<ResourceRow<"operations">>> {
    return this.table("operations", params, options);
  }

  /**
   * Returns the blocks of operations as a table; `operation_id` is required. Specification: GET /blocks.
   *
   * @example
   * ```ts
   * const blocks = await source.blocks({ operation_id: 2035 });
   * blocks.select("id", "operation_id", "name")
   * ```
   */
  blocks(params: Params<"blocks">, options: ReadOptions = {}): Promise<RowTable<ResourceRow<"blocks">>> {
    return this.table("blocks", params, options);
  }

  /**
   * Returns the datasets as a table. Specification: GET /datasets.
   *
   * @example
   * ```ts
   * (await source.datasets({ site_id: 101 })).select("id", "name", "semantic_type", "status")
   * ```
   */
  datasets(params: Params<"datasets"> = {}, options: ReadOptions = {}): Promise<RowTable<ResourceRow<"datasets">>> {
    return this.table("datasets", params, options);
  }

  /**
   * Returns the property definitions as a table. Specification: GET /propertyDefinitions.
   *
   * @example
   * ```ts
   * (await source.propertyDefinitions({ dataset_id: 5011 })).select("name", "type", "display_order")
   * ```
   */
  propertyDefinitions(
    params: Params<"propertyDefinitions"> = {},
    options: ReadOptions = {},
  ): Promise<RowTable<ResourceRow<"propertyDefinitions">>> {
    return this.table("propertyDefinitions", params, options);
  }

  /**
   * Returns the records of any resource as a table, one row per record, with a column for each field of the API.
   * Timestamps are `Date`s.
   *
   * @param resource for example `"propertyChanges"`
   * @example
   * ```ts
   * const changes = await source.table("propertyChanges", { layer_feature_id: 101422 });
   * changes.select("created_at", "property_key", "new_value")
   * ```
   */
  async table<R extends ResourceName>(
    resource: R,
    params: Params<R>,
    options: ReadOptions = {},
  ): Promise<RowTable<ResourceRow<R>>> {
    checkOptions(`${resource}()`, options, readRules);
    const filters = resolveFilters(resource, params);
    const { recordTable } = await import("../tables/column/row-table.js");
    const { withProvenance, withTableDiagnostics } = await import("../tables/column/table.js");
    const { setTimeZone } = await import("../tables/column/column-format.js");
    const { rows, readAt, diagnostics } = await this.#reader.all(resource, filters, options);
    const given = recordTable(resource, rows);
    const site = resource === "sites" ? "id" : "site_id";
    const sites = () => (given.columnNames().includes(site) ? (given.array(site) as Iterable<unknown>) : []);
    const zone = commonTimeZone([this.timeZone], sites, "rows");
    const table = withTableDiagnostics(given, [...diagnostics, ...zone.diagnostics]);
    setTimeZone(table, zone.timeZone);
    return withProvenance(table, provenance(this.origin, readAt));
  }

  /**
   * Returns a site, as a shortcut to its layers: `(await source.site("Llano Verde")).layer("PUNCH_LIST_ITEMS")`.
   *
   * @param site the id, or the name in any case
   * @example
   * ```ts
   * const site = await source.site("Llano Verde Solar Park"); // or 101
   * await site.layers()
   * ```
   * @throws ArgumentError if the site is unknown, with similar names, or if several sites have the name, with their ids
   */
  async site(site: number | string, options: ReadOptions = {}): Promise<SiteSource> {
    checkOptions("site()", options, readRules);
    const { findSite } = await import("./find-site.js");
    const { SiteSource: OneSite } = await import("./site-source.js");
    const row = findSite(await this.sites({}, options), site);
    siteChannel.publish(row.name);
    return new OneSite(this, row);
  }

  /**
   * Returns the selected layer features, with readable columns. At least one of `site_id`, `operation_id`,
   * `dataset_id`, `semantic_type` is required. Specification: GET /layerFeatures.
   *
   * `source.layer<Tickets>(…)` sets the type of its rows for `layer.table.objects()` and `get()`, also in
   * `history.asOf()`. The type is not checked; `siteframe types` writes types from your definitions.
   *
   * @example
   * ```ts
   * const panels = await source.layer({ site_id: 101, semantic_type: "SOLAR_PANELS" });
   * panels.table.select("visible_id", "Module type", "STATUS").slice(0, 4)
   * ```
   */
  layer(params: Params<"layerFeatures">, options?: LayerOptions & ReadOptions): Promise<Layer>;
  layer<Row extends object>(
    params: Params<"layerFeatures">,
    options?: LayerOptions & ReadOptions,
  ): Promise<Layer<RowTable<Row>>>;
  async layer(params: Params<"layerFeatures">, options: LayerOptions & ReadOptions = {}): Promise<Layer> {
    checkOptions("layer()", options, layerRules);
    checkTimeZones(options.timeZone);
    const filters = resolveFilters("layerFeatures", params);
    // Layers and histories load Arquero, which is most of the code.
    const { readLayer } = await import("./read-layer.js");
    const { timeZone, ...others } = options;
    return readLayer(this.#reader, filters, { ...others, timeZones: [timeZone, this.timeZone] });
  }

  /**
   * Returns the history of the selected features, the same as `(await source.layer(params)).history()`.
   *
   * @example
   * ```ts
   * const history = await source.history({ site_id: 101, semantic_type: "PUNCH_LIST_ITEMS" });
   * history.counts("STATUS", ["2025-06-30"])
   * ```
   */
  history(params: Params<"layerFeatures">, options?: LayerOptions & HistoryOptions): Promise<History>;
  history<Row extends object>(
    params: Params<"layerFeatures">,
    options?: LayerOptions & HistoryOptions,
  ): Promise<History<RowTable<Row>>>;
  async history(params: Params<"layerFeatures">, options: LayerOptions & HistoryOptions = {}): Promise<History> {
    const { historyRules } = await import("../history/history-options.js");
    checkOptions("history()", options, { ...historyRules, ...layerRules });
    const { columns, gone, ...layerOptions } = options;
    const layer = await this.layer(params, layerOptions);
    return layer.history({ ...(columns && { columns }), ...(gone && { gone }) });
  }

  /**
   * Returns raw records lazily, page by page. The iteration is complete or ends with a `DriftError`.
   *
   * @param resource for example `"layerFeatures"`
   * @example
   * ```ts
   * const titles: string[] = [];
   * for await (const { name } of source.records("sites", {})) titles.push(name);
   * titles
   * ```
   */
  records<R extends ResourceName>(
    resource: R,
    params: Params<R>,
    options: ReadOptions = {},
  ): AsyncIterable<Records[R]> {
    return openIterable(() => {
      checkOptions("records()", options, readRules);
      return this.#reader.records(resource, resolveFilters(resource, params), options);
    });
  }

  /**
   * Returns the pages in the form of the API; accepts `_sortBy`.
   *
   * @param resource for example `"layerFeatures"`
   * @param params filters of the API, and `_sortBy`
   * @example
   * ```ts
   * for await (const { data, pagination } of source.pages("sites", { _sortBy: "-id" })) {
   *   console.log(pagination.page, data.map(({ id }) => id));
   * }
   * ```
   */
  pages<R extends ResourceName>(
    resource: R,
    params: PageParams<R>,
    options: ReadOptions = {},
  ): AsyncIterable<Page<Records[R]>> {
    return openIterable(() => {
      checkOptions("pages()", options, readRules);
      return this.#reader.pages(resource, resolvePageParams(resource, params), options);
    });
  }

  /**
   * Closes connections and files. Pending reads end with an error.
   *
   * @example
   * ```ts
   * const other = connect();
   * await other.close();
   * ```
   */
  close(): Promise<void> {
    return this.#close();
  }
}

/**
 * Returns an iterable that is opened when it is iterated, so that invalid parameters throw on iteration, as a promise
 * throws when it is awaited. It adds no cost per row.
 *
 * @param open can throw
 */
export function openIterable<T>(open: () => AsyncIterable<T>): AsyncIterable<T> {
  try {
    return open();
  } catch (error) {
    return { [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(error) }) };
  }
}
