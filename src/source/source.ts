import { type Params, resolveFilters } from "../api/filters.js";
import type { Page } from "../api/page.js";
import type { Records, ResourceName } from "../api/resources.js";
import type { Reader } from "../client/read/reader.js";
import { type PageParams, type ReadOptions, readRules, resolvePageParams } from "../client/read-options.js";
import { tellPromises } from "../core/forgotten-await.js";
import { checkOptions } from "../core/options.js";
import { type Origin, type Provenance, provenance, siteChannel } from "../core/provenance.js";
import type { HistoryOptions } from "../history/history-options.js";
import type { History, Layer } from "../layer/layer.js";
import type { LayerOptions } from "../layer/layer-data.js";
import { layerRules } from "../layer/layer-rules.js";
import type { ResourceRow, RowTable } from "../tables/column/row-table.js";
import type { SiteSource } from "./site-source.js";

/**
 * Anything that records can be read from: the live API, a snapshot folder, records in memory.
 *
 * Parameters are the API's own: one value, an array of values, or null where the API accepts null. An empty array
 * selects nothing and sends nothing; an unknown parameter is an `ArgumentError` before any request. Every call reads
 * all pages, or throws: never a table that is silently short.
 */
export class Source {
  static {
    tellPromises("source", Source.prototype);
  }

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

  /** Where its records come from and how old they are; undefined for a live source, where each read has its time. */
  get provenance(): Provenance | undefined {
    const { origin, readAt } = this.#reader;
    return readAt === undefined ? undefined : provenance(origin, readAt);
  }

  /** Sites as a table, one row a site. Specification: GET /sites. */
  sites(params: Params<"sites"> = {}, options: ReadOptions = {}): Promise<RowTable<ResourceRow<"sites">>> {
    return this.table("sites", params, options);
  }

  /** Operations (data captures) as a table. Specification: GET /operations. */
  operations(
    params: Params<"operations"> = {},
    options: ReadOptions = {},
  ): Promise<RowTable<ResourceRow<"operations">>> {
    return this.table("operations", params, options);
  }

  /** Blocks of operations as a table; `operation_id` is required. Specification: GET /blocks. */
  blocks(params: Params<"blocks">, options: ReadOptions = {}): Promise<RowTable<ResourceRow<"blocks">>> {
    return this.table("blocks", params, options);
  }

  /** Datasets as a table. Specification: GET /datasets. */
  datasets(params: Params<"datasets"> = {}, options: ReadOptions = {}): Promise<RowTable<ResourceRow<"datasets">>> {
    return this.table("datasets", params, options);
  }

  /** Property definitions as a table. Specification: GET /propertyDefinitions. */
  propertyDefinitions(
    params: Params<"propertyDefinitions"> = {},
    options: ReadOptions = {},
  ): Promise<RowTable<ResourceRow<"propertyDefinitions">>> {
    return this.table("propertyDefinitions", params, options);
  }

  /**
   * The records of any resource as a table, one row a record: a column for each field that the service returns.
   * Timestamps are `Date`s.
   *
   * @param resource which records: `"propertyChanges"`
   */
  async table<R extends ResourceName>(
    resource: R,
    params: Params<R>,
    options: ReadOptions = {},
  ): Promise<RowTable<ResourceRow<R>>> {
    checkOptions(`${resource}()`, options, readRules);
    const filters = resolveFilters(resource, params);
    const { recordTable } = await import("../tables/column/record-table.js");
    const { withProvenance, withTableFindings } = await import("../tables/column/table.js");
    const { rows, readAt, findings } = await this.#reader.all(resource, filters, options);
    const table = withTableFindings(recordTable(resource, rows), findings);
    return withProvenance(table, provenance(this.origin, readAt));
  }

  /**
   * One site, as a shortcut to its layers: `(await source.site("Llano Verde")).layer("PUNCH_LIST_ITEMS")`.
   *
   * @param site its id, or its name in whatever case
   * @throws ArgumentError if there is no such site, with the names that are near, or several, with their ids
   */
  async site(site: number | string, options: ReadOptions = {}): Promise<SiteSource> {
    checkOptions("site()", options, readRules);
    const { findSite } = await import("./find-site.js");
    const { SiteSource: OneSite } = await import("./site-source.js");
    const found = findSite(await this.sites({}, options), site);
    siteChannel.publish(found.name);
    return new OneSite(this, found);
  }

  /**
   * The layer features that the parameters select, with readable columns. At least one of `site_id`,
   * `operation_id`, `dataset_id`, `semantic_type` is needed. Specification: GET /layerFeatures.
   *
   * `source.layer<Tickets>(…)` says what its rows are, so that `layer.table.objects()` and `get()`, and those of
   * `history.asOf()`, are typed. Nothing checks that they are: `siteframe types` writes the types of your definitions.
   */
  layer(params: Params<"layerFeatures">, options?: LayerOptions & ReadOptions): Promise<Layer>;
  layer<Row extends object>(
    params: Params<"layerFeatures">,
    options?: LayerOptions & ReadOptions,
  ): Promise<Layer<RowTable<Row>>>;
  async layer(params: Params<"layerFeatures">, options: LayerOptions & ReadOptions = {}): Promise<Layer> {
    checkOptions("layer()", options, layerRules);
    const filters = resolveFilters("layerFeatures", params);
    // Layers and histories bring Arquero with them, which is most of what there is to load.
    const { readLayer } = await import("./read-layer.js");
    return readLayer(this.#reader, filters, options);
  }

  /** The history of the features that the parameters select: the same as `(await source.layer(params)).history()`. */
  history(params: Params<"layerFeatures">, options?: LayerOptions & HistoryOptions): Promise<History>;
  history<Row extends object>(
    params: Params<"layerFeatures">,
    options?: LayerOptions & HistoryOptions,
  ): Promise<History<RowTable<Row>>>;
  async history(params: Params<"layerFeatures">, options: LayerOptions & HistoryOptions = {}): Promise<History> {
    const { historyRules } = await import("../history/history-options.js");
    checkOptions("history()", options, { ...historyRules, ...layerRules });
    const { columns, timeZone, gone, ...layerOptions } = options;
    const layer = await this.layer(params, layerOptions);
    return layer.history({
      ...(columns && { columns }),
      ...(timeZone === undefined ? {} : { timeZone }),
      ...(gone && { gone }),
    });
  }

  /**
   * Raw records, lazily, page by page, complete or ending in a `DriftError`.
   *
   * @param resource which records: `"layerFeatures"`
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
   * The pages as the service sends them; `_sortBy` is accepted here.
   *
   * @param resource which records: `"layerFeatures"`
   * @param params the API's filters, and `_sortBy`
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

  /** Closes connections and files. Reads under way end with an error. */
  close(): Promise<void> {
    return this.#close();
  }
}

/**
 * Opens an iterable; what is wrong with its parameters is told when it is iterated, as a promise tells it when it is
 * awaited. Costs nothing by the row.
 *
 * @param open may throw
 */
export function openIterable<T>(open: () => AsyncIterable<T>): AsyncIterable<T> {
  try {
    return open();
  } catch (error) {
    return { [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(error) }) };
  }
}
