import type { Geometry } from "geojson";
import { extentOf, hasHeight, toWkb } from "./to-wkb.js";

/** WGS 84, in which GeoJSON is; its axes are longitude and latitude in a GeoPackage. */
export const SRS_ID = 4326;

/**
 * A geometry as a GeoPackage stores it: a header with its box, then well-known binary. Specification: GeoPackage Encoding
 * Standard 1.3, clause 2.1.3.
 */
export function geopackageGeometry(geometry: Geometry): Uint8Array {
  const extent = extentOf([geometry]);
  const header = Buffer.alloc(extent ? 40 : 8);
  header.write("GP", "ascii");
  // Little-endian, with a box of two dimensions, or empty without one.
  header.writeUInt8(extent ? 0b0000_0011 : 0b0001_0001, 3);
  header.writeInt32LE(SRS_ID, 4);
  if (extent) {
    const [west, south, east, north] = extent;
    for (const [index, number] of [west, east, south, north].entries()) header.writeDoubleLE(number, 8 + 8 * index);
  }
  return Buffer.concat([header, toWkb(geometry)]);
}

/** What a column of geometries says of them. */
export interface GeometryProfile {
  /** `POLYGON`; `GEOMETRY` where they differ. */
  readonly typeName: string;
  /** 0 if none has a height, 1 if all have one, 2 if some do. */
  readonly z: 0 | 1 | 2;
}

/** What is common to geometries. */
export function geometryProfile(geometries: Iterable<Geometry>): GeometryProfile {
  const types = new Set<string>();
  const heights = new Set<boolean>();
  for (const geometry of geometries) {
    types.add(geometry.type.toUpperCase());
    heights.add(hasHeight(geometry));
  }
  const [only = "GEOMETRY"] = types;
  const z = heights.size > 1 ? 2 : heights.has(true) ? 1 : 0;
  return { typeName: types.size > 1 ? "GEOMETRY" : only, z };
}
