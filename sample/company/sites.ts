import type { Point } from "geojson";
import type { Site } from "../../src/api/resources.js";
import { areaOf, centroidOf, type LocalGrid, type Metres, point } from "../base/shapes.js";
import type { SolarPark } from "../grounds/solar-park.js";
import type { WindFarm } from "../grounds/wind-farm.js";

export const COMPANY_ID = 7;

/** Ids of the sites. */
export const siteIds = { solar: 101, wind: 102, road: 103, storage: 104 } as const;

/** A site's boundary on its own grid, counter-clockwise. */
export interface Outline {
  readonly frame: LocalGrid;
  readonly boundary: readonly Metres[];
}

/** The sites: a solar park in operation, a wind farm, a road under construction, and a battery that is only planned. */
export function sites(solar: SolarPark, wind: WindFarm, road: Outline): readonly Site[] {
  return [
    {
      id: siteIds.solar,
      company_id: COMPANY_ID,
      name: "Llano Verde Solar Park",
      type: "SOLAR",
      stage: "OPERATION",
      coordinates: centre(solar),
      geo_area: area(solar),
      peak_power: solar.peakPower,
      ac_power: Math.round(solar.peakPower * 8) / 10,
      address_line1: "Camino de la Encina, km 4",
      address_line2: "06200 Valdeluz de Barros",
      address_line3: "Spain",
    },
    {
      id: siteIds.wind,
      company_id: COMPANY_ID,
      name: "Harrow Moor Wind Farm",
      type: "WIND",
      stage: "OPERATION",
      coordinates: centre(wind),
      geo_area: area(wind),
      peak_power: null,
      ac_power: wind.acPower,
      address_line1: "Harrow Moor Road",
      address_line2: "Kelderburn",
      address_line3: "United Kingdom",
    },
    {
      id: siteIds.road,
      company_id: COMPANY_ID,
      name: "Thornbeck Bypass",
      type: "ROAD",
      stage: "CONSTRUCTION",
      coordinates: centre(road),
      geo_area: area(road),
      peak_power: null,
      ac_power: null,
      address_line1: "Site office, Thornbeck Lane",
      address_line2: "Ashby Thornbeck",
      address_line3: null,
    },
    {
      id: siteIds.storage,
      company_id: COMPANY_ID,
      name: "Kelderburn Battery Storage",
      type: "STORAGE",
      stage: "PLANNING",
      coordinates: null,
      geo_area: 0,
      peak_power: null,
      ac_power: 20,
      address_line1: null,
      address_line2: null,
      address_line3: null,
    },
  ];
}

function centre({ frame, boundary }: Outline): Point {
  return point(frame, centroidOf(boundary));
}

function area({ boundary }: Outline): number {
  return Math.round(areaOf(boundary) * 10) / 10;
}
