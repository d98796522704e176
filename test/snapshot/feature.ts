import type { LayerFeature } from "../../src/api/resources.js";
import { feature as record } from "../support/records.js";

const time = "2025-01-01T00:00:00Z";

/** A layer feature of dataset 31. */
export function feature(id: number, properties: Readonly<Record<string, unknown>>, site_id = 1): LayerFeature {
  const geometry = { type: "Point" as const, coordinates: [8.5, 47.1] };
  return record(id, {
    properties,
    geometry,
    dataset_id: 31,
    site_id,
    company_id: 1,
    created_at: time,
    updated_at: time,
  });
}
