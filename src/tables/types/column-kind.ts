/** What a column of an exported table holds, besides nulls. */
export type ColumnKind =
  /** Integers of 64 bits. */
  | "integer"
  | "number"
  | "boolean"
  | "text"
  /** Calendar dates, as texts `2025-06-30`. */
  | "date"
  /** `Date`s, with microseconds where the column knows them. */
  | "instant"
  /** Arrays of integers. */
  | "integers"
  /** Arrays of texts. */
  | "texts"
  /** GeoJSON geometries. */
  | "geometry"
  /** Any JSON, also of several types. */
  | "json";
