import type { RecordOf, Resource } from "../contract.js";
import { integerId, integers, unshownPageSize, unshownSort } from "./endpoint-parts.js";

/** Contract of sites. Specification: Site, GET /sites. */
export const sites = {
  record: "Site",
  neverOmits: true,
  fields: {
    id: integerId,
    company_id: { type: "integer", nullable: false, description: "Owning company." },
    name: { type: "string", nullable: false, description: "Name of the site." },
    type: {
      type: "string",
      nullable: false,
      description: "What is built on the site.",
      values: ["SOLAR", "GENERIC", "AGRICULTURE", "WIND", "HYDRO", "STORAGE", "CHARGING", "ROAD"],
    },
    stage: {
      type: "string",
      nullable: false,
      description: "Stage of the site's life.",
      values: ["PLANNING", "CONSTRUCTION", "OPERATION"],
    },
    coordinates: {
      type: "point",
      nullable: true,
      description: "Centroid of the site boundary, longitude first (WGS 84); null when the boundary is empty.",
    },
    geo_area: { type: "number", nullable: false, unit: "m²", description: "Boundary area; 0 when it is empty." },
    peak_power: { type: "number", nullable: true, unit: "MWp", description: "Peak power; null when not set." },
    ac_power: { type: "number", nullable: true, unit: "MVA", description: "AC power; null when not set." },
    address_line1: { type: "string", nullable: true, description: "Address, first line." },
    address_line2: { type: "string", nullable: true, description: "Address, second line." },
    address_line3: { type: "string", nullable: true, description: "Address, third line." },
  },
  endpoint: {
    path: "/sites",
    summary: "Sites of the company.",
    filters: { id: integers("Site ids.") },
    pageRequired: false,
    pageSize: unshownPageSize,
    sort: unshownSort,
  },
  table: "sites",
  site: { by: "id" },
} as const satisfies Resource;

/**
 * A solar park, a wind farm, a road. Specification: Site.
 *
 * @interface
 */
export type Site = RecordOf<typeof sites>;
