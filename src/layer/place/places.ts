import type { ColumnTable } from "arquero";
import type { Column } from "../../tables/column/column.js";
import { toTable } from "../../tables/column/table.js";
import { soundGeometry } from "../../tables/export/sound-geometry.js";
import { areaOf, boundsOf, centroidOf, lengthOf } from "./geometry-place.js";

/**
 * Where features lie and how large they are, one row a feature: `id`, `visible_id`, `longitude` and `latitude` of the
 * centre, `west`, `south`, `east`, `north` in degrees, `area_m2`, `length_m`. null where a feature has
 * no geometry, or one that is none.
 */
export function places(ids: Column, visibleIds: Column, geometries: Column): ColumnTable {
  const rows = Array.from(geometries, place);
  const column = (name: keyof Place) => [name, rows.map((row) => row?.[name] ?? null)] as const;
  return toTable([
    ["id", ids],
    ["visible_id", visibleIds],
    column("longitude"),
    column("latitude"),
    column("west"),
    column("south"),
    column("east"),
    column("north"),
    column("area_m2"),
    column("length_m"),
  ]);
}

interface Place {
  readonly longitude: number | undefined;
  readonly latitude: number | undefined;
  readonly west: number | undefined;
  readonly south: number | undefined;
  readonly east: number | undefined;
  readonly north: number | undefined;
  readonly area_m2: number;
  readonly length_m: number;
}

function place(value: unknown): Place | null {
  const geometry = soundGeometry(value);
  if (!geometry) return null;
  const [longitude, latitude] = centroidOf(geometry) ?? [];
  const { west, south, east, north } = boundsOf(geometry) ?? {};
  return { longitude, latitude, west, south, east, north, area_m2: areaOf(geometry), length_m: lengthOf(geometry) };
}
