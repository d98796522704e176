import * as ObservablePlot from "@observablehq/plot";
import type { Geometry } from "geojson";

/** Panel of small multiples. */
export interface Facet {
  readonly fx?: string;
  readonly fy?: string;
}

/** A geometry on a map with the label for its color. */
export interface MapItem extends Facet {
  readonly geometry: Geometry;
  readonly label: string;
  /** Text of the tooltip. */
  readonly title: string;
}

/** Maximum number of items with tooltips: more are joined to one shape per color, which keeps the file small. */
const maxTitled = 2000;

/** Marks that draw areas, lines and points of a radius. */
export function mapMarks(items: readonly MapItem[], radius: number): ObservablePlot.Markish[] {
  const isJoined = items.length > maxTitled;
  const drawn = isJoined ? joined(items) : items;
  const kinds = { area: [] as MapItem[], line: [] as MapItem[], point: [] as MapItem[] };
  for (const item of drawn) kinds[kindOf(item.geometry)].push(item);
  const channels = {
    geometry: "geometry",
    ...(items.some(({ fx }) => fx !== undefined) ? { fx: "fx", fy: "fy" } : {}),
    ...(isJoined ? {} : { title: "title" }),
  };
  return [
    ObservablePlot.geo(kinds.area, { ...channels, fill: "label", stroke: "label", strokeWidth: 0.6 }),
    ObservablePlot.geo(kinds.line, { ...channels, stroke: "label", strokeWidth: 2.2 }),
    ObservablePlot.geo(kinds.point, { ...channels, fill: "label", stroke: "none", r: radius }),
  ];
}

/** Geometries as a pale background for others, on every panel. */
export function backgroundMark(geometries: readonly Geometry[]): ObservablePlot.Markish {
  const areas = geometries.filter((geometry) => kindOf(geometry) === "area");
  const others = geometries.filter((geometry) => kindOf(geometry) !== "area");
  const shared = { facet: null, ariaLabel: "background", stroke: "currentColor", strokeOpacity: 0.22 } as const;
  return [
    ...(areas.length > 0
      ? [ObservablePlot.geo([join(areas)], { ...shared, strokeWidth: 0.5, fill: "currentColor", fillOpacity: 0.1 })]
      : []),
    ...(others.length > 0
      ? [ObservablePlot.geo([{ type: "GeometryCollection", geometries: others }], { ...shared, r: 1.5 })]
      : []),
  ];
}

/** The kind of shape for a geometry. */
export function kindOf({ type }: Geometry): "area" | "line" | "point" {
  if (type === "Polygon" || type === "MultiPolygon") return "area";
  return type === "LineString" || type === "MultiLineString" ? "line" : "point";
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
  return { type: "GeometryCollection", geometries: parts };
}
