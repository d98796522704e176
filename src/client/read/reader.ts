import type { Page } from "../../api/contract.js";
import type { ResolvedFilters } from "../../api/filters.js";
import type { Records, ResourceName } from "../../api/resources.js";
import type { Diagnostic } from "../../core/diagnostic.js";
import type { Origin } from "../../core/provenance.js";
import type { ChangeColumns } from "../../tables/read/change-columns.js";
import type { FeatureColumns } from "../../tables/read/feature-columns.js";
import type { PageDecoder } from "../page/page-decoder.js";
import type { PageAddress, SentPage } from "../page/paged-query.js";
import type { Slice } from "../paginator/ordered-lookahead.js";
import type { ReadOptions, ResolvedPageParams } from "../read-options.js";

/** Facts of a finished read. */
interface EndedRead {
  /** End of the read, milliseconds since 1970 by this machine's clock. */
  readonly readAt: number;
  readonly diagnostics: readonly Diagnostic[];
}

/** Result of a read. */
export interface ReadResult<R extends ResourceName> extends EndedRead {
  /** All rows that existed during the whole read, each once, in ascending order of id. */
  readonly rows: readonly Records[R][];
}

/** Result of a read, in the form of a decoder. */
export interface CollectedRead<T> extends EndedRead {
  readonly slices: readonly Slice<T>[];
}

/** Result of a read, by column. */
export interface ColumnsRead<C> extends EndedRead {
  readonly columns: C;
}

/** Layer features that were read before and are no longer returned. */
export interface GoneFeatures {
  /** Their last records. */
  readonly records: readonly Records["layerFeatures"][];
  /** Time of the read that first missed each feature, microseconds since 1970. */
  readonly us: Float64Array;
}

/**
 * Reads records for a source: `Source` resolves the caller's parameters, readers receive complete filters.
 *
 * Every reader returns records. Optional members exist only in some readers; callers check for them, and read records
 * otherwise.
 */
export interface Reader {
  readonly origin: Origin;
  /** Time of reading, milliseconds since 1970. Absent if every read has its own time. */
  readonly readAt?: number;
  /** Whether reads are strict by default. Default: true. */
  readonly strict?: boolean;
  /** Whether reads show progress by default. */
  readonly progress?: boolean;
  /** Whether reads replace person data by default. Default: false. */
  readonly redact?: boolean;
  /** Callback for the diagnostics of reads by default. */
  readonly onDiagnostic?: ((diagnostic: Diagnostic) => void) | undefined;

  /**
   * Reads every record that the filters select. A filter can have any number of values: they are split into as many
   * requests as the API's limits require. A filter without values selects nothing and sends no request.
   *
   * @throws ApiError, NetworkError, ProtocolError; DriftError if the data kept changing
   */
  all<R extends ResourceName>(resource: R, filters: ResolvedFilters, options?: ReadOptions): Promise<ReadResult<R>>;

  /**
   * Yields the same records one by one, page by page, with the same completeness and little memory. They are in
   * ascending order of id unless data changes; rows hidden by a changing page come last.
   */
  records<R extends ResourceName>(
    resource: R,
    filters: ResolvedFilters,
    options?: ReadOptions,
  ): AsyncIterable<Records[R]>;

  /** Yields the pages in the form of the service, in its default order unless `sort` is passed. */
  pages<R extends ResourceName>(
    resource: R,
    params: ResolvedPageParams,
    options?: ReadOptions,
  ): AsyncIterable<Page<Records[R]>>;

  /**
   * `all` with a custom decoder, for rows in another form than records. The slices in order contain the rows in
   * ascending order of id.
   */
  collect?<T>(
    resource: ResourceName,
    filters: ResolvedFilters,
    decoder: PageDecoder<T>,
    options?: ReadOptions,
  ): Promise<CollectedRead<T>>;

  /**
   * `collect` with slices in order of arrival, in which a row can be repeated, for callers that sort.
   *
   * @param keep receives each slice as soon as it is final
   */
  gather?<T>(
    resource: ResourceName,
    filters: ResolvedFilters,
    decoder: PageDecoder<T>,
    keep: (slice: Slice<T>) => void,
    options?: ReadOptions,
  ): Promise<EndedRead>;

  /** `records` with a custom decoder: slices of pages in order of arrival. */
  slices?<T>(
    resource: ResourceName,
    filters: ResolvedFilters,
    decoder: PageDecoder<T>,
    options?: ReadOptions,
  ): AsyncIterable<Slice<T>>;

  /** One page in the form of the service, for filters that fit into one request. */
  page?<T>(
    resource: ResourceName,
    filters: ResolvedFilters,
    address: PageAddress,
    decoder: PageDecoder<T>,
    options?: ReadOptions,
  ): Promise<SentPage<T>>;

  /**
   * Returns the id of the pseudonym key of reads, as from `pseudonymKeyId()`; undefined if reads contain person data.
   * Absent if only redacted reads have pseudonyms, with the key of `personsOf(origin)`.
   *
   * @param redact whether the reads redact
   * @throws ArgumentError if the key is required and invalid
   */
  pseudonymKeyId?(redact: boolean): string | undefined;

  /** Layer features that are stored by column; undefined if these are not. */
  columns?(filters: ResolvedFilters, options?: ReadOptions): Promise<ColumnsRead<FeatureColumns> | undefined>;

  /** The selected layer features that were read before and are no longer returned, in ascending order of id. */
  gone?(filters: ResolvedFilters, options?: ReadOptions): Promise<GoneFeatures>;

  /** Property changes that are stored by column, in any order; undefined if these are not. */
  changes?(filters: ResolvedFilters, options?: ReadOptions): Promise<ColumnsRead<readonly ChangeColumns[]> | undefined>;
}

/** Whether a read is strict: the option of the call, else the reader's default. */
export function isStrict(reader: Reader, options: ReadOptions): boolean {
  return options.strict ?? reader.strict ?? true;
}
