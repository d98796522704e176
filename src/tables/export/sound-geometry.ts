import type { Geometry, Position } from "geojson";
import { ArgumentError } from "../../core/errors.js";
import { valueKind } from "../../core/show-record-value.js";
import type { Column } from "../column/column.js";
import { geometryDepths, isGeometryType } from "../types/geometry-types.js";
import type { ExportColumn, ExportTable } from "./export-table.js";

/** Maximum nesting of collections: deeper ones do not occur in practice, and would overflow the stack. */
export const DEEPEST = 200;

/** An error in a GeoJSON geometry (RFC 7946, 3.1). */
interface GeometryFault {
  /** For example `coordinates[0][2]`. */
  readonly path: string;
  /** Description, which follows the path. */
  readonly words: string;
}

/**
 * The error in a geometry; undefined if it is valid. Positions must have two or more finite numbers. Empty parts are
 * valid: a point without coordinates, a polygon without rings or with an empty one.
 */
export function geometryFault(value: unknown): GeometryFault | undefined {
  return faultOf(value, "", 0);
}

/** The value if it is a valid geometry, else undefined. */
export function soundGeometry(value: unknown): Geometry | undefined {
  return geometryFault(value) === undefined ? (value as Geometry) : undefined;
}

/** An error as the start of a sentence: `coordinates[0] is "11.5"`. */
export function faultText({ path, words }: GeometryFault): string {
  return `${path === "" ? "it" : path} ${words}`;
}

/** A row with an invalid geometry. */
interface FaultyRow {
  readonly row: number;
  readonly fault: GeometryFault;
}

/** A column that provides which of its values have the usual form and are therefore valid. */
interface CheckedColumn extends Column {
  rowsWithoutGeometry(): readonly number[];
}

/** The rows of a geometry column with values other than geometries and null. */
export function faultyRows(geometries: Column): readonly FaultyRow[] {
  const rows = isChecked(geometries) ? geometries.rowsWithoutGeometry() : [...Array(geometries.length).keys()];
  return rows.flatMap((row): FaultyRow[] => {
    const value = geometries.at(row) ?? null;
    const fault = value === null ? undefined : geometryFault(value);
    return fault ? [{ row, fault }] : [];
  });
}

function isChecked(column: Column): column is CheckedColumn {
  return "rowsWithoutGeometry" in column;
}

function faultOf(value: unknown, path: string, depth: number): GeometryFault | undefined {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return { path, words: isValue(value) };
  if (depth > DEEPEST) return { path: "", words: `has more than ${DEEPEST} nested collections` };
  const { type, coordinates, geometries } = value as Readonly<Record<string, unknown>>;
  const inner = (name: string) => (path === "" ? name : `${path}.${name}`);
  if (type === "GeometryCollection") {
    if (!Array.isArray(geometries)) return { path: inner("geometries"), words: isValue(geometries) };
    for (const [index, part] of geometries.entries()) {
      const fault = faultOf(part, `${inner("geometries")}[${index}]`, depth + 1);
      if (fault) return fault;
    }
    return undefined;
  }
  if (!isGeometryType(type)) return { path: inner("type"), words: isValue(type) };
  const around = geometryDepths[type];
  // Points may have no coordinates, also in a MultiPoint.
  return nestedFault(coordinates, around, around < 2 && type !== "LineString", inner("coordinates"));
}

function nestedFault(value: unknown, depth: number, mayBeEmpty: boolean, path: string): GeometryFault | undefined {
  if (!Array.isArray(value)) return { path, words: isValue(value) };
  if (depth === 0)
    return isPosition(value) || (mayBeEmpty && value.length === 0) ? undefined : positionFault(value, path);
  for (let index = 0; index < value.length; index += 1) {
    const part: unknown = value[index];
    // Paths are only computed for errors, because most positions are valid.
    if (depth === 1 && isPosition(part)) continue;
    const fault = nestedFault(part, depth - 1, mayBeEmpty, `${path}[${index}]`);
    if (fault) return fault;
  }
  return undefined;
}

function isPosition(value: unknown): value is Position {
  if (!Array.isArray(value) || value.length < 2) return false;
  return Number.isFinite(value[0]) && Number.isFinite(value[1]) && (value.length < 3 || Number.isFinite(value[2]));
}

function positionFault(position: readonly unknown[], path: string): GeometryFault {
  const odd = position.findIndex((number, axis) => axis < 3 && !Number.isFinite(number));
  if (odd >= 0) return { path: `${path}[${odd}]`, words: isValue(position[odd]) };
  return { path, words: position.length === 0 ? "has no numbers" : "has one number" };
}

function isValue(value: unknown): string {
  return value === undefined ? "is missing" : `is ${valueKind(value)}`;
}

/**
 * The geometries of a column for files that allow nothing else, by row; null if missing.
 *
 * @param call name of the call for messages: `toParquet()`
 * @throws ArgumentError, when called with the row, for an invalid geometry; it contains the id of the feature
 */
export function storableGeometry(
  call: string,
  frame: ExportTable,
  { name, values }: ExportColumn,
): (row: number) => Geometry | null {
  const ids = frame.columns.find((column) => column.name === "id")?.values;
  return (row) => {
    const value = values.at(row) ?? null;
    const fault = value === null ? undefined : geometryFault(value);
    if (!fault) return value as Geometry | null;
    const given = ids?.at(row);
    // Ids of a user's own table may be names.
    const id = typeof given === "number" ? given : null;
    const who = id === null ? `row ${row + 1}` : `row ${row + 1} (id ${String(id)})`;
    throw new ArgumentError(`${call}: ${who} has an invalid geometry: ${faultText(fault)}.`, {
      hint: "Filter the row out, or write GeoJSON, which keeps invalid geometries.",
      facts: { column: name, row: row + 1, ...(id === null ? {} : { id }), path: fault.path },
    });
  };
}

/** Direction of outer rings; holes have the other direction. */
export type Winding = "clockwise" | "counter-clockwise";

/** A geometry with all its rings in the given direction. Invalid rings are unchanged. */
export function windRings(geometry: Geometry, outer: Winding, depth = 0): Geometry {
  // A part of a received collection may be null.
  switch (geometry?.type) {
    case "Polygon":
      return { ...geometry, coordinates: windPolygon(geometry.coordinates, outer) };
    case "MultiPolygon":
      if (!Array.isArray(geometry.coordinates)) return geometry;
      return { ...geometry, coordinates: geometry.coordinates.map((rings) => windPolygon(rings, outer)) };
    case "GeometryCollection":
      if (!Array.isArray(geometry.geometries) || depth > DEEPEST) return geometry;
      return { ...geometry, geometries: geometry.geometries.map((part) => windRings(part, outer, depth + 1)) };
    default:
      return geometry;
  }
}

function windPolygon(rings: Position[][], outer: Winding): Position[][] {
  // The contract only checks that the coordinates of geometries are an array.
  if (!Array.isArray(rings) || !rings.every((ring) => Array.isArray(ring) && ring.every(Array.isArray))) return rings;
  return rings.map((ring, index) => {
    const isAsOuter = isClockwise(ring) === (outer === "clockwise");
    return isAsOuter === (index === 0) ? ring : ring.toReversed();
  });
}

/** By the sign of the area, relative to the first position so that small rings far from 0, 0 lose no precision. */
function isClockwise(ring: readonly Position[]): boolean {
  const [[x0 = 0, y0 = 0] = []] = ring;
  let doubleArea = 0;
  ring.forEach(([x = 0, y = 0], index) => {
    const [nextX = 0, nextY = 0] = ring[(index + 1) % ring.length] as Position;
    doubleArea += (x - x0) * (nextY - y0) - (nextX - x0) * (y - y0);
  });
  return doubleArea < 0;
}
