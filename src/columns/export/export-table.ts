import type { Column } from "../column/column.js";

/** What a column of a frame holds, besides nulls. */
export type ColumnKind =
  /** Integers that a double holds exactly. */
  | "integer"
  | "number"
  | "boolean"
  | "text"
  /** `Date`s, with microseconds where the column knows them. */
  | "instant"
  /** GeoJSON geometries. */
  | "geometry"
  /** Any JSON, also of several types. */
  | "json";

/** One column of a frame. */
export interface ExportColumn {
  readonly name: string;
  readonly kind: ColumnKind;
  readonly values: Column;
  /** The property key whose values these are, or one of several; absent for a field of the feature. */
  readonly key?: string | undefined;
}

/** Columns of known kinds, as every export takes them. Names are unique. */
export interface ExportTable {
  readonly rowCount: number;
  readonly columns: readonly ExportColumn[];
}
