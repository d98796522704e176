import type { Column } from "../column/column.js";
import { countTypes } from "../column/count-types.js";
import type { ColumnKind } from "./column-kind.js";
import { isInt64 } from "./definition-kind.js";

const GEOMETRIES = ["Point", "MultiPoint", "LineString", "MultiLineString", "Polygon", "MultiPolygon"];

/** What the values of a column have in common; undefined if there are none. */
export function seenKind(values: Column): ColumnKind | undefined {
  const counts = countTypes(values);
  if (counts.json > 0 && counts.string === 0 && counts.boolean === 0 && every(values, isInteger)) {
    return every(values, isInt64) ? "integer" : "text";
  }
  const [only, ...others] = (["boolean", "number", "string", "json"] as const).filter((type) => counts[type] > 0);
  if (others.length > 0) return "json";
  if (only === "number") return every(values, isInt64) ? "integer" : "number";
  if (only === "string") return "text";
  if (only !== "json") return only;
  if (every(values, (value) => value instanceof Date)) return "instant";
  return every(values, isGeometry) ? "geometry" : "json";
}

/** Integers that a double cannot hold are `bigint`s, beside numbers. */
function isInteger(value: unknown): boolean {
  return typeof value === "bigint" || Number.isInteger(value);
}

function every(values: Column, test: (value: unknown) => boolean): boolean {
  for (const value of values) if (value !== null && value !== undefined && !test(value)) return false;
  return true;
}

function isGeometry(value: unknown): boolean {
  if (typeof value !== "object" || value === null || !("type" in value)) return false;
  if (value.type === "GeometryCollection") return "geometries" in value && Array.isArray(value.geometries);
  return GEOMETRIES.includes(String(value.type)) && "coordinates" in value && Array.isArray(value.coordinates);
}
