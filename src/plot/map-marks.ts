import * as ObservablePlot from "@observablehq/plot";
import type { Geometry } from "geojson";
import { eachPosition } from "./map-extent.js";

/** Something on a map with the label that gives it its colour. */
export interface MapItem {
  readonly geometry: Geometry;
  readonly label: string;
  /** Shown when pointed at. */
  readonly title: string;
  /** Panel of small multiples. */
  readonly fx?: string;
  readonly fy?: string;
}

/** More items than this are joined to one shape a colour, which shows no titles but stays small. */
const maxTitled = 2000;

/**
 * Marks that draw areas, lines and points. Areas and lines too small to be seen are drawn as points.
 *
 * @param pixelsPerDegree of latitude, about
 * @param room pixels that one panel has for its items
 */
export function mapMarks(items: readonly MapItem[], pixelsPerDegree: number, room: number): ObservablePlot.Markish[] {
  const panels = new Set(items.map(({ fx, fy }) => `${fx} ${fy}`)).size;
  const r = Math.min(3.5, Math.max(1.1, Math.sqrt((room * panels) / Math.max(items.length, 1)) / 2.6));
  const seen = items.map((item) => ({ ...item, geometry: visible(item.geometry, (1.6 * r) / pixelsPerDegree) }));
  const drawn = seen.length > maxTitled ? joined(seen) : seen;
  const kinds = { area: [] as MapItem[], line: [] as MapItem[], point: [] as MapItem[] };
  for (const item of drawn) kinds[kindOf(item.geometry)].push(item);
  const channels = {
    geometry: "geometry",
    ...(items.some(({ fx }) => fx !== undefined) ? { fx: "fx", fy: "fy" } : {}),
    ...(seen === drawn ? { title: "title" } : {}),
  };
  return [
    ObservablePlot.geo(kinds.area, { ...channels, fill: "label", stroke: "label", strokeWidth: 0.6 }),
    ObservablePlot.geo(kinds.line, { ...channels, stroke: "label", strokeWidth: 2.2 }),
    ObservablePlot.geo(kinds.point, { ...channels, fill: "label", stroke: "none", r }),
  ];
}

/** What a geometry is drawn as. */
export function kindOf({ type }: Geometry): "area" | "line" | "point" {
  if (type === "Polygon" || type === "MultiPolygon") return "area";
  return type === "LineString" || type === "MultiLineString" ? "line" : "point";
}

/** A geometry, or the middle of its box if both sides are below `degrees`. */
function visible(geometry: Geometry, degrees: number): Geometry {
  if (kindOf(geometry) === "point") return geometry;
  let [west, south, east, north] = [Infinity, Infinity, -Infinity, -Infinity];
  eachPosition(geometry, ([x = 0, y = 0]) => {
    west = Math.min(west, x);
    east = Math.max(east, x);
    south = Math.min(south, y);
    north = Math.max(north, y);
  });
  if (east - west >= degrees || north - south >= degrees) return geometry;
  return { type: "Point", coordinates: [(west + east) / 2, (south + north) / 2] };
}

/** One item for each label, kind and panel. */
function joined(items: readonly MapItem[]): readonly MapItem[] {
  const groups = new Map<string, { item: MapItem; geometries: Geometry[] }>();
  for (const item of items) {
    const key = JSON.stringify([item.label, item.fx, item.fy, kindOf(item.geometry)]);
    const group = groups.get(key);
    if (group) group.geometries.push(item.geometry);
    else groups.set(key, { item, geometries: [item.geometry] });
  }
  return [...groups.values()].map(({ item, geometries }) => ({ ...item, geometry: join(geometries) }));
}

function join(geometries: readonly Geometry[]): Geometry {
  const parts: Geometry[] = [...geometries];
  const kind = parts[0] ? kindOf(parts[0]) : "point";
  const polygons = parts.flatMap((part) =>
    part.type === "Polygon" ? [part.coordinates] : part.type === "MultiPolygon" ? part.coordinates : [],
  );
  if (kind === "area") return { type: "MultiPolygon", coordinates: polygons };
  const lines = parts.flatMap((part) =>
    part.type === "LineString" ? [part.coordinates] : part.type === "MultiLineString" ? part.coordinates : [],
  );
  if (kind === "line") return { type: "MultiLineString", coordinates: lines };
  const points = parts.flatMap((part) =>
    part.type === "Point" ? [part.coordinates] : part.type === "MultiPoint" ? part.coordinates : [],
  );
  return { type: "MultiPoint", coordinates: points };
}
