/** The pagination object of every list response. Specification: Pagination object. */
export interface Pagination {
  /** Current page, from 1. */
  readonly page: number;
  /** Items per page. */
  readonly pageSize: number;
  /** Items across all pages. */
  readonly rowCount: number;
  /** Total number of pages; 0 without items. */
  readonly pageCount: number;
}

/** One list response. */
export interface Page<T> {
  /** The records of the page. */
  readonly data: readonly T[];
  /** Position of the page and total counts. */
  readonly pagination: Pagination;
}
