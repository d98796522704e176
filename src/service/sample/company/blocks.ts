import type { Block } from "../../../api/resources.js";
import { polygon } from "../base/local-grid.js";
import { rectangle } from "../base/shapes.js";
import type { SolarPark } from "../grounds/solar-park.js";
import { operations } from "./operations.js";
import { type Outline, siteIds } from "./sites.js";

type Area = Omit<Block, "id" | "operation_id">;

/** What each operation captured or is to capture: the park's blocks, or the whole of the other sites. */
export function blocks(park: SolarPark, wind: Outline, road: Outline): readonly Block[] {
  const areas = new Map<number, readonly Area[]>([
    [siteIds.solar, parkAreas(park)],
    [siteIds.wind, [{ polygon_id: null, name: null, geo_boundaries: polygon(wind.frame, wind.boundary) }]],
    [siteIds.road, [{ polygon_id: 1, name: "Corridor", geo_boundaries: polygon(road.frame, road.boundary) }]],
  ]);
  return operations
    .flatMap(({ id, site_id }) => (areas.get(site_id) ?? []).map((area) => ({ operation_id: id, ...area })))
    .map((block, index) => ({ id: 30_001 + index, ...block }));
}

function parkAreas(park: SolarPark): readonly Area[] {
  return park.blocks.map(({ corner, width, height }, index) => ({
    polygon_id: index + 1,
    name: `Block ${String(index + 1).padStart(2, "0")}`,
    geo_boundaries: polygon(park.frame, rectangle(corner, width, height)),
  }));
}
