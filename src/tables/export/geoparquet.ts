import type { GeometrySummary } from "./wkb.js";

/** A column of geometries in a Parquet file, as well-known binary in OGC:CRS84. */
export interface GeometryColumn extends GeometrySummary {
  readonly name: string;
  /** Name of the column with the bounding box of each geometry: a structure of xmin, ymin, xmax and ymax. */
  readonly box?: string;
}

/** The sides of a bounding box, in the order of GeoJSON. */
export const boxSides = ["xmin", "ymin", "xmax", "ymax"] as const;

/**
 * The GeoParquet metadata of geometry columns, for the key `geo` of a file: version 1.1 with bounding boxes, else 1.0.
 * Without `crs`, coordinates are longitude and latitude in WGS 84, OGC:CRS84. The first column is the primary one.
 *
 * @returns undefined without geometry columns
 */
export function geoParquetMetadata(columns: readonly GeometryColumn[]): string | undefined {
  const [first] = columns;
  if (!first) return undefined;
  return JSON.stringify({
    version: columns.some(({ box }) => box !== undefined) ? "1.1.0" : "1.0.0",
    primary_column: first.name,
    columns: Object.fromEntries(columns.map((column) => [column.name, described(column)])),
  });
}

function described({ types, extent, box }: GeometryColumn): object {
  const covering = box && { covering: { bbox: Object.fromEntries(boxSides.map((side) => [side, [box, side]])) } };
  return { encoding: "WKB", geometry_types: types, ...(extent && { bbox: extent }), ...covering };
}
