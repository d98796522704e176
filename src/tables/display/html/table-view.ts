/** One column of a table to be shown. */
export interface ColumnView {
  readonly name: string;
  /** Shown under the name. When left out it is inferred from the values shown. */
  readonly type?: string;
  readonly at: (row: number) => unknown;
  /** True for labels of rows, which are shown but are no column of the data. */
  readonly isIndex?: boolean;
}

/** What `renderTable` needs to know of a table, wherever it comes from. */
export interface TableView {
  readonly rowCount: number;
  readonly columns: readonly ColumnView[];
  /** Shown above the table. */
  readonly caption?: string;
  /** Where the values come from and how old they are. Shown below the table, behind the counts. */
  readonly age?: string;
  /** The value that the rows are read from. While it lives, a kernel can be asked for more of them. */
  readonly owner?: object;
}
