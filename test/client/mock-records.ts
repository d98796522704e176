import type { Records, ResourceName } from "../../src/api/resources.js";

const when = "2025-03-01T12:00:00.000Z";
const square = [
  [
    [8, 50],
    [8.1, 50],
    [8.1, 50.1],
    [8, 50],
  ],
];

/** A UUID that grows with a number, like ids assigned at insert. */
export function uuid(number: number): string {
  return `018f0000-0000-7000-8000-${number.toString(16).padStart(12, "0")}`;
}

const makers: { [R in ResourceName]: (number: number) => Records[R] } = {
  sites: (id) => ({
    id,
    company_id: 1,
    name: `Site ${id}`,
    type: "SOLAR",
    stage: "OPERATION",
    coordinates: { type: "Point", coordinates: [8, 50] },
    geo_area: 10,
    peak_power: null,
    ac_power: null,
    address_line1: null,
    address_line2: null,
    address_line3: null,
  }),
  operations: (id) => ({
    id,
    site_id: 1,
    date_captured: "2025-03-01",
    status: "COMPLETED",
    data_product_id: 1,
    data_product_name: null,
    description: null,
    date_start: null,
    date_end: when,
    contact_name: "Ada Person",
    contact_phone: "+49 30 1234",
    contact_mail: "ada@example.com",
  }),
  blocks: (id) => ({
    id,
    operation_id: 1,
    polygon_id: null,
    name: null,
    geo_boundaries: { type: "Polygon", coordinates: square },
  }),
  datasets: (id) => ({
    id,
    identifier: `d${id}`,
    site_id: 1,
    operation_id: null,
    name: `Dataset ${id}`,
    status: "COMPLETED",
    semantic_type: null,
    layout_definition: null,
  }),
  layerFeatures: (id) => ({
    id,
    visible_id: `F-${id}`,
    properties: { STATUS: id % 2 ? "open" : "done" },
    geometry: { type: "Point", coordinates: [8, 50] },
    dataset_id: 1,
    site_id: 1,
    operation_id: null,
    company_id: 1,
    semantic_type: "PUNCH_LIST_ITEMS",
    description: "",
    created_at: when,
    updated_at: when,
  }),
  propertyDefinitions: (number) => ({
    id: uuid(number),
    dataset_id: 1,
    name: `Property ${number}`,
    description: null,
    display_order: null,
    type: "STRING",
    config: {},
  }),
  propertyChanges: (number) => ({
    id: uuid(number),
    layer_feature_id: 1 + (number % 5),
    property_key: "STATUS",
    new_value: number,
    system: false,
    user_id: 7,
    caused_by_change_id: null,
    created_at: when,
  }),
};

/** A valid record, whose id grows with the number. */
export function mockRecord<R extends ResourceName>(resource: R, number: number): Records[R] {
  return makers[resource](number);
}

/** Records of a resource with every third number, so that other ids fit between them. */
export function mockRecords<R extends ResourceName>(resource: R, count: number): Records[R][] {
  return Array.from({ length: count }, (_, index) => mockRecord(resource, 3 * (index + 1)));
}

/** Parameters that every resource accepts and that select all mock records. */
export const anyParams = {
  sites: {},
  operations: {},
  blocks: { operation_id: 1 },
  datasets: {},
  layerFeatures: { site_id: 1 },
  propertyDefinitions: {},
  propertyChanges: { layer_feature_id: [1, 2, 3, 4, 5] },
} as const;
