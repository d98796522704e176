// A small valid company, in the shape of the service's answers. Its values have the canary.
import { person } from "./canary.mjs";

const uuid = (number) => `018f0000-0000-7000-8000-${number.toString(16).padStart(12, "0")}`;
const when = (day) => new Date(Date.UTC(2024, 0, 1 + day)).toISOString();
const square = [
  [8, 50],
  [8.1, 50],
  [8.1, 50.1],
  [8, 50.1],
  [8, 50],
];
const states = ["OPEN", "IN_PROGRESS", "DONE"];
const typed = { site_id: 101, company_id: 7, operation_id: null };

export const columns = ["STATUS", "Comment", "Depth", "Class", "Inspected by", "Due"];

export const world = {
  sites: [
    {
      ...{ id: 101, company_id: 7, name: "Harrow Moor", type: "SOLAR", stage: "OPERATION" },
      ...{ coordinates: { type: "Point", coordinates: [8.05, 50.05] }, geo_area: 1000, peak_power: 5, ac_power: null },
      ...{ address_line1: "Field Lane 1", address_line2: null, address_line3: null },
    },
  ],
  operations: [
    {
      ...{ id: 201, site_id: 101, date_captured: "2024-05-01", status: "COMPLETED", data_product_id: 1 },
      ...{ data_product_name: "Inspection", description: `Ask ${person.name}`, date_start: when(1), date_end: when(2) },
      ...{ contact_name: person.name, contact_phone: person.phone, contact_mail: person.mail },
    },
  ],
  blocks: [
    {
      id: 301,
      operation_id: 201,
      polygon_id: 1,
      name: "Block 1",
      geo_boundaries: { type: "Polygon", coordinates: [square] },
    },
  ],
  datasets: [
    {
      ...{ id: 401, identifier: "tickets", site_id: 101, operation_id: null, name: "Tickets", status: "COMPLETED" },
      semantic_type: "PUNCH_LIST_ITEMS",
      layout_definition: {
        items: [
          { type: "PROPERTY", property_definition_id: uuid(1) },
          { type: "SECTION", header: "More", items: [{ type: "PROPERTY", property_definition_id: uuid(2) }] },
        ],
      },
    },
  ],
  propertyDefinitions: [
    ["Comment", "STRING", {}],
    ["Depth", "FLOAT", { unit: "m" }],
    [
      "Class",
      "OPTION",
      {
        options: [
          { value: "a", label: "Class A" },
          { value: "b", label: "Class B" },
        ],
      },
    ],
    ["Inspected by", "STRING", {}],
    ["Due", "DATE", {}],
  ].map(([name, type, config], index) => ({
    ...{ id: uuid(index + 1), dataset_id: 401, name, description: null, display_order: index, type, config },
  })),
  layerFeatures: Array.from({ length: 12 }, (_, index) => ({
    ...{ id: 501 + index, visible_id: `T-${index}`, ...typed, dataset_id: 401, semantic_type: "PUNCH_LIST_ITEMS" },
    properties: {
      STATUS: states[index % 3],
      [uuid(1)]: `Call ${person.name}`,
      [uuid(2)]: index / 3,
      [uuid(3)]: index % 2 ? "a" : "b",
      [uuid(4)]: person.name,
      [uuid(5)]: "2024-06-01",
    },
    geometry: { type: "Point", coordinates: [8 + index / 100, 50 + index / 100] },
    ...{ description: `Reported by ${person.mail}`, created_at: when(index), updated_at: when(40 + index) },
  })),
  propertyChanges: Array.from({ length: 36 }, (_, index) => ({
    ...{ id: uuid(1000 + index), layer_feature_id: 501 + (index % 12), system: index % 5 === 0 },
    property_key: index < 24 ? "STATUS" : uuid(4),
    new_value: index < 24 ? states[Math.floor(index / 12)] : person.name,
    ...{ user_id: index % 5 === 0 ? null : 9, caused_by_change_id: null, created_at: when(index) },
  })),
};
