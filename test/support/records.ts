import type { Dataset, LayerFeature, PropertyChange, PropertyDefinition } from "../../src/api/resources.js";

/** A UUID that ends in a number, so that order and identity are easy to see. */
export function uuid(n: number, head = "00000000"): string {
  return `${head}-0000-7000-8000-${n.toString(16).padStart(12, "0")}`;
}

/** The id of a change that was recorded at a time, in milliseconds: a UUIDv7 unless another version is given. */
export function uuidAt(ms: number, n: number, version = 7): string {
  const hex = ms.toString(16).padStart(12, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8)}-${version}000-8000-${n.toString(16).padStart(12, "0")}`;
}

export function feature(id: number, over: Partial<LayerFeature> = {}): LayerFeature {
  return {
    id,
    visible_id: `F-${id}`,
    properties: {},
    geometry: { type: "Point", coordinates: [11.5, 48.1] },
    dataset_id: 1,
    site_id: 12,
    operation_id: null,
    company_id: 3,
    semantic_type: "TRENCHES",
    description: "",
    created_at: "2024-01-01T00:00:00Z",
    updated_at: "2024-01-01T00:00:00Z",
    ...over,
  };
}

export function dataset(id: number, over: Partial<Dataset> = {}): Dataset {
  return {
    id,
    identifier: `dataset-${id}`,
    site_id: 12,
    operation_id: null,
    name: `Dataset ${id}`,
    status: "COMPLETED",
    semantic_type: "TRENCHES",
    layout_definition: null,
    ...over,
  };
}

export function definition(id: string, name: string, over: Partial<PropertyDefinition> = {}): PropertyDefinition {
  return { id, dataset_id: 1, name, description: null, display_order: 0, type: "STRING", config: {}, ...over };
}

export function change(n: number, over: Partial<PropertyChange> = {}): PropertyChange {
  return {
    id: uuid(n),
    layer_feature_id: 1,
    property_key: "STATUS",
    new_value: "OPEN",
    system: false,
    user_id: 7,
    caused_by_change_id: null,
    created_at: "2024-06-01T00:00:00Z",
    ...over,
  };
}
