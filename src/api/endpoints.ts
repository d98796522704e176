import type { Endpoint, FilterParameter, PageSizeRule, SortRule } from "./endpoint.js";
import { type ResourceName, resources } from "./resources.js";

const shownPageSize: PageSizeRule = { default: 10, max: 10_000 };
const unshownPageSize: PageSizeRule = { default: null, max: null };
const unshownSort: SortRule = { fields: [], complete: false, properties: false, default: null };

const integers = (description: string) => ({ kind: "integer", description }) as const satisfies FilterParameter;

/**
 * The seven endpoints. Specification: Endpoints, Limits.
 */
export const endpoints = {
  sites: {
    resource: "sites",
    path: "/sites",
    summary: "Sites of the company.",
    filters: { id: integers("Site ids.") },
    pageRequired: false,
    pageSize: unshownPageSize,
    sort: unshownSort,
  },
  operations: {
    resource: "operations",
    path: "/operations",
    summary: "Operations (data captures) on the sites.",
    filters: {
      id: integers("Operation ids."),
      site_id: integers("Site ids."),
      status: {
        kind: "string",
        values: resources.operations.fields.status.values,
        description: "Operation statuses. Only COMPLETED operations have delivered data layers.",
      },
      data_product_id: integers("Data product ids."),
    },
    pageRequired: false,
    pageSize: unshownPageSize,
    sort: { fields: ["date_captured"], complete: false, properties: false, default: null },
  },
  blocks: {
    resource: "blocks",
    path: "/blocks",
    summary: "Blocks of operations.",
    filters: { operation_id: { kind: "integer", required: true, description: "Operation ids; at least one." } },
    pageRequired: false,
    pageSize: unshownPageSize,
    sort: unshownSort,
  },
  datasets: {
    resource: "datasets",
    path: "/datasets",
    summary: "Datasets at company, site and operation level.",
    filters: {
      id: integers("Dataset ids."),
      site_id: { kind: "integer", nullable: true, description: "Site ids; null selects company-level datasets." },
      operation_id: {
        kind: "integer",
        nullable: true,
        description: "Operation ids; null selects site-level and company-level datasets.",
      },
      type: { kind: "string", description: "Storage types, for example geojson-layer." },
      status: { kind: "string", description: "Dataset statuses." },
      semantic_type: { kind: "string", nullable: true, description: "Semantic types; null selects untyped datasets." },
    },
    pageRequired: false,
    pageSize: shownPageSize,
    sort: {
      fields: ["id", "created_at", "updated_at"],
      complete: true,
      properties: false,
      default: [{ field: "id", descending: true }],
    },
  },
  layerFeatures: {
    resource: "layerFeatures",
    path: "/layerFeatures",
    summary: "Layer features: records inside geojson-layer datasets.",
    filters: {
      site_id: { kind: "integer", nullable: true, description: "Site ids; null allowed." },
      operation_id: {
        kind: "integer",
        nullable: true,
        description: "Operation ids; null selects features without an operation.",
      },
      dataset_id: integers("Dataset ids."),
      semantic_type: { kind: "string", nullable: true, description: "Semantic types; null allowed." },
    },
    oneOf: ["site_id", "operation_id", "dataset_id", "semantic_type"],
    pageRequired: true,
    pageSize: unshownPageSize,
    sort: {
      fields: ["id", "visible_id", "description", "created_at", "updated_at", "site"],
      complete: true,
      properties: true,
      default: [
        { field: "updated_at", descending: true },
        { field: "id", descending: true },
      ],
    },
  },
  propertyDefinitions: {
    resource: "propertyDefinitions",
    path: "/propertyDefinitions",
    summary: "Definitions of the custom properties of datasets.",
    filters: {
      dataset_id: integers("Dataset ids; omit to list across all datasets that the caller can access."),
      type: { kind: "string", description: "Property definition types." },
    },
    pageRequired: false,
    pageSize: shownPageSize,
    sort: {
      fields: ["id", "display_order"],
      complete: true,
      properties: false,
      default: [{ field: "display_order", descending: false }],
      deprecated: ["display_order"],
    },
  },
  propertyChanges: {
    resource: "propertyChanges",
    path: "/propertyChanges",
    summary: "Audit log of property changes, read per layer feature.",
    filters: {
      layer_feature_id: {
        kind: "integer",
        required: true,
        maxValues: 200,
        description: "The integer ids of layer features (never visible_id).",
      },
      property_key: {
        kind: "string",
        maxValues: 200,
        description: "Built-in keys or property-definition UUIDs; narrows within layer_feature_id.",
      },
    },
    pageRequired: false,
    pageSize: shownPageSize,
    sort: {
      fields: ["created_at", "id"],
      complete: true,
      properties: false,
      default: [
        { field: "created_at", descending: false },
        { field: "id", descending: false },
      ],
    },
  },
} as const satisfies Readonly<Record<ResourceName, Endpoint>>;

/** The endpoint of a resource, as plain data. */
export function endpointOf(resource: ResourceName): Endpoint {
  return endpoints[resource];
}
