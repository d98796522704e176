/** The pagination object of every list response. Specification: Pagination object. */
export interface Pagination {
  /** Current page, from 1. */
  readonly page: number;
  /** Items per page. */
  readonly pageSize: number;
  /** Items across all pages. */
  readonly rowCount: number;
  /** Pages in total; 0 when there are no items. */
  readonly pageCount: number;
}

/** One list response. */
export interface Page<T> {
  /** The records of the page. */
  readonly data: readonly T[];
  /** Which page it is, of how many. */
  readonly pagination: Pagination;
}
