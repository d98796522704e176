import type { TableView } from "./table-view.js";

/** A frame or series of whichever of Danfo's packages, as they type it. */
export interface DanfoLike {
  /** Names of the columns. */
  readonly columns: readonly string[];
  /** Labels of the rows. */
  readonly index: readonly unknown[];
  /** Danfo's type of each column. */
  readonly dtypes: readonly string[];
  /** Rows and columns. */
  readonly shape: readonly number[];
  /** Rows of a frame, plain values of a series. */
  readonly values: readonly unknown[];
}

/** A Danfo frame or series as a `TableView`, recognised by its fields so that Danfo need not be loaded. */
export function danfoView(value: unknown): TableView | undefined {
  if (!isDanfoLike(value)) return undefined;
  const { values, index } = value;
  const cell = (row: number, column: number) => {
    const entry = values[row];
    return Array.isArray(entry) ? entry[column] : entry;
  };
  const columns = value.columns.map((name, column) => ({
    name,
    type: value.dtypes[column] as string,
    at: (row: number) => cell(row, column),
  }));
  const labels = { name: "", type: "index", isIndex: true, at: (row: number) => index[row] };
  return { rowCount: values.length, columns: [labels, ...columns], owner: value };
}

function isDanfoLike(value: unknown): value is DanfoLike {
  if (typeof value !== "object" || value === null) return false;
  const candidate = value as Partial<DanfoLike>;
  return (
    Array.isArray(candidate.columns) &&
    Array.isArray(candidate.index) &&
    Array.isArray(candidate.dtypes) &&
    Array.isArray(candidate.shape) &&
    Array.isArray(candidate.values)
  );
}
