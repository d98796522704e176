import type { Endpoint } from "../../api/endpoints.js";
import type { ParsedQuery } from "../../api/parse-query.js";

/** What a key may read. */
export interface Access {
  /**
   * The sites whose rows are visible; undefined for everything. Datasets of the company level and their definitions
   * are visible to every key, features without a site only to a key without limits.
   */
  readonly siteIds: readonly number[] | undefined;
}

/** One page as the service sends it. */
export interface StoredPage {
  /** The JSON text of the `data` array, in UTF-8. */
  readonly data: Uint8Array;
  /** Rows that the query selects, over all pages. */
  readonly rowCount: number;
  /** Lets the store use the memory of `data` again. Called once, after the last look at it, or not at all. */
  readonly release?: () => void;
}

/** An open snapshot that answers the queries of the read API. */
export interface SnapshotStore {
  /** Changes when the content does. */
  readonly version: string;
  /**
   * One page of an endpoint. Pages of one query never overlap: every order ends with the id. Null sorts last, in both
   * directions; texts sort by code point. Specification: Endpoints.
   *
   * @param signal is aborted when the page is not wanted any more; then the promise rejects with its reason
   * @throws StoreMovedError if it has another version now, of which the page was not read
   * @throws ArgumentError if the query sorts by a field that is no scalar of the resource
   */
  page(endpoint: Endpoint, query: ParsedQuery, access: Access, signal?: AbortSignal): Promise<StoredPage>;
  /** Closes the files. Pages under way end with an error. */
  close(): Promise<void>;
}

/** A page was not read, since the store has moved to another state of its folder. It can be asked for again. */
export class StoreMovedError extends Error {
  constructor() {
    super("The store has moved to another state of the snapshot.");
    this.name = "StoreMovedError";
  }
}
