import type { LayerFeature } from "../../src/api/resources.js";

/** A layer feature of dataset 31. */
export function feature(id: number, properties: Readonly<Record<string, unknown>>, site_id = 1): LayerFeature {
  return {
    id,
    visible_id: `F-${id}`,
    properties,
    geometry: { type: "Point", coordinates: [8.5, 47.1] },
    dataset_id: 31,
    site_id,
    operation_id: null,
    company_id: 1,
    semantic_type: "TRENCHES",
    description: "",
    created_at: "2025-01-01T00:00:00Z",
    updated_at: "2025-01-01T00:00:00Z",
  };
}
