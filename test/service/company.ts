import type { LayoutDefinition } from "../../src/api/contract.js";
import { change, dataset, definition, feature, uuid } from "../support/records.js";
import type { Company } from "./memory-store.js";

/** Keys of the custom properties of dataset 2. */
export const depth = uuid(1, "aaaaaaaa");
export const inspector = uuid(2, "aaaaaaaa");

function site(id: number, name: string, type: string) {
  const address = { address_line1: null, address_line2: null, address_line3: null };
  const size = { geo_area: 0, peak_power: null, ac_power: null };
  return { id, company_id: 3, name, type, stage: "OPERATION", coordinates: null, ...size, ...address };
}

function operation(id: number, siteId: number, status: string, dateCaptured: string | null) {
  const product = { data_product_id: 40 + (id % 2), data_product_name: null };
  const contact = { contact_name: null, contact_phone: null, contact_mail: null };
  const rest = { description: null, date_start: null, date_end: null, ...contact };
  return { id, site_id: siteId, date_captured: dateCaptured, status, ...product, ...rest };
}

function block(id: number, operationId: number) {
  const ring = [
    [11, 48],
    [12, 48],
    [12, 49],
    [11, 48],
  ];
  const geo_boundaries = { type: "Polygon", coordinates: [ring] };
  return { id, operation_id: operationId, polygon_id: id, name: `Block ${id}`, geo_boundaries };
}

const days = (type: string, created: string, updated: string) => ({
  type,
  created_at: `2024-0${created}T00:00:00Z`,
  updated_at: `2024-0${updated}T00:00:00Z`,
});

/** Properties, of which one is in a section. */
const layout_definition: LayoutDefinition = {
  items: [
    { type: "PROPERTY", property_definition_id: depth },
    { type: "SECTION", header: "People", items: [{ type: "PROPERTY", property_definition_id: inspector }] },
  ],
};

/**
 * A solar park (12), a wind farm (15) and a road (20), small enough to answer every query by hand.
 *
 * Features 1–4 are trenches of the park, 5 and 6 anomalies of its captures, 7 a ticket on the wind farm; 8 sits in a
 * dataset that holds no features.
 */
export const company: Company = {
  sites: [site(12, "Park", "SOLAR"), site(15, "Farm", "WIND"), site(20, "Road", "ROAD")],
  operations: [
    operation(101, 12, "COMPLETED", "2024-03-01"),
    operation(102, 12, "PROCESSING", null),
    operation(103, 15, "COMPLETED", "2024-05-01"),
    operation(104, 12, "COMPLETED", "2024-04-01"),
  ],
  blocks: [block(1, 101), block(2, 101), block(3, 103)],
  datasets: [
    { ...dataset(1, { site_id: null, semantic_type: null, name: "Models" }), ...days("geojson-layer", "1-01", "6-01") },
    { ...dataset(2, { layout_definition }), ...days("geojson-layer", "1-02", "5-01") },
    {
      ...dataset(3, { operation_id: 101, semantic_type: "SOLAR_ANOMALIES", name: "Modules" }),
      ...days("geojson-layer", "1-03", "4-01"),
    },
    {
      ...dataset(4, { operation_id: 101, semantic_type: "RGB", status: "PROCESSING" }),
      ...days("tile-layer", "1-04", "3-01"),
    },
    { ...dataset(5, { site_id: 15, semantic_type: "PUNCH_LIST_ITEMS" }), ...days("geojson-layer", "1-05", "2-01") },
    { ...dataset(6, { semantic_type: null, name: "Plan" }), ...days("dxf", "1-06", "1-07") },
    {
      ...dataset(7, { operation_id: 104, semantic_type: "SOLAR_ANOMALIES", name: "Strings" }),
      ...days("geojson-layer", "1-07", "1-08"),
    },
  ],
  layerFeatures: [
    feature(1, { dataset_id: 2, properties: { [depth]: 10, STATUS: "OPEN" }, updated_at: "2024-03-01T00:00:00Z" }),
    feature(2, { dataset_id: 2, properties: { [depth]: 9, STATUS: "DONE" }, updated_at: "2024-03-01T00:00:00Z" }),
    feature(3, { dataset_id: 2, properties: { STATUS: "OPEN" }, updated_at: "2024-02-01T00:00:00Z", visible_id: "A" }),
    feature(4, { dataset_id: 2, properties: {}, updated_at: "2024-04-01T00:00:00Z", description: "Nordgraben ü" }),
    feature(5, { dataset_id: 3, operation_id: 101, semantic_type: "SOLAR_ANOMALIES" }),
    feature(6, { dataset_id: 7, operation_id: 104, semantic_type: "SOLAR_ANOMALIES" }),
    feature(7, { dataset_id: 5, site_id: 15, semantic_type: "PUNCH_LIST_ITEMS" }),
    feature(8, { dataset_id: 4, operation_id: 101, semantic_type: "RGB" }),
  ],
  propertyDefinitions: [
    definition(uuid(3, "aaaaaaaa"), "Model", { dataset_id: 1, display_order: 0 }),
    definition(depth, "Depth", { dataset_id: 2, display_order: 0, type: "FLOAT" }),
    definition(inspector, "Inspector", { dataset_id: 2, display_order: 1 }),
    definition(uuid(4, "aaaaaaaa"), "Due", { dataset_id: 5, display_order: 0 }),
  ],
  propertyChanges: [
    change(1, { created_at: "2024-06-03T00:00:00Z" }),
    change(2, { created_at: "2024-06-01T00:00:00Z", property_key: depth, new_value: 10 }),
    change(3, { created_at: "2024-06-02T00:00:00Z", new_value: null }),
    change(4, { created_at: "2024-06-02T00:00:00Z", layer_feature_id: 2, new_value: "DONE" }),
    change(5, { created_at: "2024-06-01T00:00:00Z", layer_feature_id: 7 }),
  ],
};
