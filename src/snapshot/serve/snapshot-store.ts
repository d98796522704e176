import type { Endpoint } from "../../api/endpoints.js";
import type { ParsedQuery } from "../../api/parse-query.js";

/** Access rights of a key. */
export interface Access {
  /**
   * The sites whose rows are accessible; undefined for everything. Datasets of the company level and their definitions
   * are accessible with every key, features without a site only with a key without limits.
   */
  readonly siteIds: readonly number[] | undefined;
}

/** A page in the form of the service. */
export interface StoredPage {
  /** The JSON text of the `data` array, in UTF-8. */
  readonly data: Uint8Array;
  /** Count of selected rows over all pages. */
  readonly rowCount: number;
  /** Releases the memory of `data` for reuse. Call it at most once, after the last access. */
  readonly release?: () => void;
}

/** An open snapshot that answers the queries of the read API. */
export interface SnapshotStore {
  /** Changes with the content. */
  readonly version: string;
  /**
   * Returns a page of an endpoint. Pages of one query never overlap: every order ends with the id. Null sorts last in
   * both directions; strings sort by code point. Specification: Endpoints.
   *
   * @param signal is aborted when the page is no longer needed; then the promise rejects with its reason
   * @throws StoreMovedError if the store moved to another version before the page was read
   * @throws ArgumentError if the query sorts by a field that is not a scalar of the resource
   */
  page(endpoint: Endpoint, query: ParsedQuery, access: Access, signal?: AbortSignal): Promise<StoredPage>;
  /** Closes the files. Pending pages end with an error. */
  close(): Promise<void>;
}

/**
 * Thrown for a page that was not read because the store moved to another generation of its folder. The page can be
 * requested again.
 */
export class StoreMovedError extends Error {
  constructor() {
    super("The store has moved to another generation of the snapshot.");
    this.name = "StoreMovedError";
  }
}
