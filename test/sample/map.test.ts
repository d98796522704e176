import type { Position } from "geojson";
import { expect, test } from "vitest";
import { company, features } from "./records.js";

function positions(geometry: unknown): readonly Position[] {
  const { coordinates } = geometry as { coordinates: unknown };
  return flatten(coordinates);
}

function flatten(coordinates: unknown): readonly Position[] {
  const list = coordinates as readonly unknown[];
  return typeof list[0] === "number" ? [list as Position] : list.flatMap(flatten);
}

test("features lie within their site", () => {
  for (const site of company.sites.filter((candidate) => candidate.coordinates !== null)) {
    const [longitude = 0, latitude = 0] = site.coordinates?.coordinates ?? [];
    // A circle of twenty times the site's area holds any sensible outline.
    const radius = Math.sqrt((20 * site.geo_area) / Math.PI) / 111_000;
    const places = features
      .filter((feature) => feature.site_id === site.id)
      .flatMap(({ geometry }) => positions(geometry));
    const shrink = Math.cos((latitude * Math.PI) / 180);
    const away = ([x = 0, y = 0]: Position): number => Math.hypot((x - longitude) * shrink, y - latitude);
    expect(places.length).toBeGreaterThan(0);
    expect(places.filter((place) => away(place) > radius)).toEqual([]);
  }
});

test("a site without a boundary has no centre and no area", () => {
  const planned = company.sites.filter((site) => site.coordinates === null);
  expect(planned.map((site) => site.geo_area)).toEqual([0]);
});

test("polygons are closed and run counter-clockwise", () => {
  const shapes = [
    ...features.map((feature) => feature.geometry),
    ...company.blocks.map((block) => block.geo_boundaries),
  ];
  const rings = shapes.flatMap((shape) => (shape?.type === "Polygon" ? shape.coordinates : []));
  expect(rings.length).toBeGreaterThan(1000);
  for (const ring of rings) {
    expect(ring.at(-1)).toEqual(ring[0]);
    expect(area(ring)).toBeGreaterThan(0);
  }
});

test("coordinates have at most seven decimals", () => {
  const all = features.flatMap((feature) => positions(feature.geometry)).flat();
  expect(all.filter((degrees) => (String(degrees).split(".")[1] ?? "").length > 7)).toEqual([]);
});

test("tables do not overlap", () => {
  const tables = features.filter((feature) => feature.semantic_type === "SOLAR_PANELS");
  const corners = new Set(tables.map((table) => JSON.stringify(positions(table.geometry)[0])));
  expect(corners.size).toBe(tables.length);
});

function area(ring: readonly Position[]): number {
  const [ox = 0, oy = 0] = ring[0] ?? [];
  return ring.slice(1).reduce((sum, [bx = 0, by = 0], i) => {
    const [ax = 0, ay = 0] = ring[i] ?? [];
    return sum + ((ax - ox) * (by - oy) - (bx - ox) * (ay - oy)) / 2;
  }, 0);
}
