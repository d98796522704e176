import type { ResolvedFilters } from "../../api/filters.js";
import type { Page } from "../../api/page.js";
import type { Records, ResourceName } from "../../api/resources.js";
import type { Finding } from "../../core/finding.js";
import type { Origin } from "../../core/provenance.js";
import type { ChangeColumns } from "../../tables/read/change-columns.js";
import type { FeatureColumns } from "../../tables/read/feature-columns.js";
import type { PageDecoder } from "../page/page-decoder.js";
import type { PageAddress, SentPage } from "../page/paged-query.js";
import type { Slice } from "../paginator/ordered-lookahead.js";
import type { ReadOptions, ResolvedPageParams } from "../read-options.js";

/** What is known of a read that has ended. */
interface EndedRead {
  /** When the read ended, milliseconds since 1970 by this machine's clock. */
  readonly readAt: number;
  readonly findings: readonly Finding[];
}

/** Everything that one read brought. */
export interface ReadResult<R extends ResourceName> extends EndedRead {
  /** Complete: no row twice, none missing of those that existed throughout. In ascending order of id. */
  readonly rows: readonly Records[R][];
}

/** Everything that one read brought, in the form that a decoder made. */
export interface CollectedRead<T> extends EndedRead {
  readonly slices: readonly Slice<T>[];
}

/** Everything that one read brought, by column. */
export interface ColumnsRead<C> extends EndedRead {
  readonly columns: C;
}

/** Layer features that were read before and no longer come. */
export interface GoneFeatures {
  /** As they were last. */
  readonly records: readonly Records["layerFeatures"][];
  /** When each was found to be gone, microseconds since 1970. */
  readonly us: Float64Array;
}

/**
 * What a source reads by: `Source` resolves what its caller asks for, readers see complete filters.
 *
 * Every reader gives records. The optional members are what only some can do; whoever needs one looks whether it is
 * there, and reads records otherwise.
 */
export interface Reader {
  readonly origin: Origin;
  /** When its records were read, milliseconds since 1970. Absent where every read has a time of its own. */
  readonly readAt?: number;
  /** Whether its reads are strict unless a call says otherwise; true if absent. */
  readonly strict?: boolean;
  /** Whether its reads show how far they are unless a call says otherwise. */
  readonly progress?: boolean;
  /** Whether its reads replace person data unless a call says otherwise; false if absent. */
  readonly redact?: boolean;

  /**
   * Reads every record that the filters select. A filter may have any number of values: they are split into as many
   * requests as the API's limits need. A filter without values selects nothing and sends nothing.
   *
   * @throws ApiError, NetworkError, ProtocolError; DriftError if the data would not settle
   */
  all<R extends ResourceName>(resource: R, filters: ResolvedFilters, options?: ReadOptions): Promise<ReadResult<R>>;

  /**
   * The same records one by one, page after page, with the same promise; memory stays flat. In ascending order of id
   * while nothing moves; rows that a moving page hid come last.
   */
  records<R extends ResourceName>(
    resource: R,
    filters: ResolvedFilters,
    options?: ReadOptions,
  ): AsyncIterable<Records[R]>;

  /** The pages as the service sends them, in its default order unless one is given. */
  pages<R extends ResourceName>(
    resource: R,
    params: ResolvedPageParams,
    options?: ReadOptions,
  ): AsyncIterable<Page<Records[R]>>;

  /**
   * `all` with a decoder of one's own, for rows in another form than records: the slices are, one after the other, the
   * rows in ascending order of id.
   */
  collect?<T>(
    resource: ResourceName,
    filters: ResolvedFilters,
    decoder: PageDecoder<T>,
    options?: ReadOptions,
  ): Promise<CollectedRead<T>>;

  /**
   * `collect` with slices in whatever order they came, and perhaps a row in two of them: for whoever sorts himself.
   *
   * @param keep is given each slice as soon as it is certain that it stays
   */
  gather?<T>(
    resource: ResourceName,
    filters: ResolvedFilters,
    decoder: PageDecoder<T>,
    keep: (slice: Slice<T>) => void,
    options?: ReadOptions,
  ): Promise<EndedRead>;

  /** `records` with a decoder of one's own: slices of pages as they come. */
  slices?<T>(
    resource: ResourceName,
    filters: ResolvedFilters,
    decoder: PageDecoder<T>,
    options?: ReadOptions,
  ): AsyncIterable<Slice<T>>;

  /** One page of filters that fit one request, as the service sends it. */
  page?<T>(
    resource: ResourceName,
    filters: ResolvedFilters,
    address: PageAddress,
    decoder: PageDecoder<T>,
    options?: ReadOptions,
  ): Promise<SentPage<T>>;

  /**
   * The key of the pseudonyms that reads contain, as `pseudonymKeyId()` states it; undefined if they contain person data. Absent
   * where only reads that redact have pseudonyms, those of `personsOf(origin)`.
   *
   * @param redact whether the reads redact
   * @throws ArgumentError if a key is needed that cannot be used
   */
  pseudonymKeyId?(redact: boolean): string | undefined;

  /** Layer features that lie by column already. Undefined where these do not. */
  columns?(filters: ResolvedFilters, options?: ReadOptions): Promise<ColumnsRead<FeatureColumns> | undefined>;

  /** The layer features that the filters select, were read before, and no longer come. In ascending order of id. */
  gone?(filters: ResolvedFilters, options?: ReadOptions): Promise<GoneFeatures>;

  /** Property changes that lie by column already, in any order. Undefined where these do not. */
  changes?(filters: ResolvedFilters, options?: ReadOptions): Promise<ColumnsRead<readonly ChangeColumns[]> | undefined>;
}
