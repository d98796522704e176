import type { Page } from "../../api/page.js";
import type { Params } from "../../api/params.js";
import type { Records, ResourceName } from "../../api/resources.js";
import type { Finding } from "../../core/finding.js";
import type { Origin } from "../../core/origin.js";
import type { ReadOptions } from "./read-options.js";

/** Everything that one read brought. */
export interface ReadResult<R extends ResourceName> {
  /** Complete: no row twice, none missing of those that existed throughout. In ascending order of id. */
  readonly rows: readonly Records[R][];
  /** When the read ended, milliseconds since 1970 by this machine's clock. */
  readonly readAt: number;
  readonly findings: readonly Finding[];
}

/** Filters of an endpoint, and an order: `"-date_captured"`, or several for tie-breaks. */
export type PageParams<R extends ResourceName> = Params<R> & {
  readonly _sortBy?: string | readonly string[] | undefined;
};

/** What every source can do: read the records of a resource that filters select. */
export interface Reader {
  readonly origin: Origin;
  /** When its records were read, milliseconds since 1970. Absent where every read has a time of its own. */
  readonly readAt?: number;

  /**
   * Reads every record that the filters select. A filter may have any number of values: they are split into as many
   * requests as the API's limits need. An empty array selects nothing and sends nothing.
   *
   * @throws ArgumentError before any request; ApiError, NetworkError, ProtocolError; DriftError if the data
   * would not settle
   */
  all<R extends ResourceName>(resource: R, params: Params<R>, options?: ReadOptions): Promise<ReadResult<R>>;

  /**
   * The same records one by one, page after page, with the same promise; memory stays flat. In ascending order of id
   * while nothing moves; rows that a moving page hid come last.
   */
  records<R extends ResourceName>(resource: R, params: Params<R>, options?: ReadOptions): AsyncIterable<Records[R]>;

  /** The pages as the service sends them, in its default order unless `_sortBy` is among the parameters. */
  pages<R extends ResourceName>(
    resource: R,
    params: PageParams<R>,
    options?: ReadOptions,
  ): AsyncIterable<Page<Records[R]>>;
}
