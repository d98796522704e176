import {
  type Field,
  type FilterParameter,
  LARGEST_PAGE,
  type PageSizeRule,
  type RecordOf,
  type Resource,
  type SortRule,
} from "./contract.js";

/** Page sizes of the endpoints for which the specification shows them. */
const shownPageSize: PageSizeRule = { default: 10, max: LARGEST_PAGE };

/** Page sizes of other endpoints. */
const unshownPageSize: PageSizeRule = { default: null, max: null };

/** Sort order of endpoints for which the specification shows none. */
const unshownSort: SortRule = { fields: [], complete: false, default: null };

/** Returns a filter by integers. */
const integers = (description: string) => ({ kind: "integer", description }) as const satisfies FilterParameter;

/** The id of most records. */
const integerId = { type: "integer", nullable: false, description: "Identifier." } as const satisfies Field;

/** The id of definitions and changes. */
const uuidId = { type: "uuid", nullable: false, description: "Identifier." } as const satisfies Field;

/** Semantic types of datasets and features, as the specification lists them. A service may have others. */
const semanticTypes = [
  "DEVIATIONS",
  "SOLAR_ANOMALIES",
  "WIND_ANOMALIES",
  "TRENCHES",
  "SOLAR_PANELS",
  "FENCES",
  "ROADS",
  "PUNCH_LIST_ITEMS",
  "ANNOTATIONS",
  "THERMAL",
  "DIGITAL_SURFACE_MODEL",
  "RGB",
] as const;

/** A listed value or any other string. Editors offer the listed values. */
export type SemanticType = (typeof semanticTypes)[number] | (string & {});

/** Contract of sites. Specification: Site, GET /sites. */
const sites = {
  record: "Site",
  neverOmits: true,
  fields: {
    id: integerId,
    company_id: { type: "integer", nullable: false, description: "Owning company." },
    name: { type: "string", nullable: false, description: "Name of the site." },
    type: {
      type: "string",
      nullable: false,
      description: "Kind of the site's installation.",
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

const statuses = [
  "DRAFT",
  "ORDERED",
  "ASSIGNED",
  "PLANNED",
  "FLOWN",
  "UPLOADED",
  "PROCESSING",
  "IN_REVIEW",
  "COMPLETED",
  "CANCELLED",
] as const;

/** Contract of operations. Specification: Operation, GET /operations. */
const operations = {
  record: "Operation",
  fields: {
    id: integerId,
    site_id: { type: "integer", nullable: false, description: "Parent site." },
    date_captured: { type: "date", nullable: true, description: "Date of capture." },
    status: {
      type: "string",
      nullable: false,
      description: "State of the operation. Only COMPLETED operations have delivered data layers.",
      values: statuses,
    },
    data_product_id: { type: "integer", nullable: false, description: "Data product that was ordered." },
    data_product_name: { type: "string", nullable: true, description: "Its name." },
    description: { type: "string", nullable: true, description: "Free text." },
    date_start: { type: "timestamp", nullable: true, description: "Start of the capture window." },
    date_end: { type: "timestamp", nullable: true, description: "End of the capture window, or deadline." },
    contact_name: { type: "string", nullable: true, personal: true, description: "Contact person." },
    contact_phone: { type: "string", nullable: true, personal: true, description: "Contact's telephone." },
    contact_mail: { type: "string", nullable: true, personal: true, description: "Contact's e-mail address." },
  },
  endpoint: {
    path: "/operations",
    summary: "Operations (data captures) on the sites.",
    filters: {
      id: integers("Operation ids."),
      site_id: integers("Site ids."),
      status: {
        kind: "string",
        values: statuses,
        description: "Operation statuses. Only COMPLETED operations have delivered data layers.",
      },
      data_product_id: integers("Data product ids."),
    },
    pageSize: unshownPageSize,
    sort: { fields: ["date_captured"], complete: false, default: null },
  },
  table: "operations",
  site: { by: "site_id" },
} as const satisfies Resource;

/**
 * One data capture on a site. Specification: Operation.
 *
 * @interface
 */
export type Operation = RecordOf<typeof operations>;

/** Contract of blocks. Specification: Block, GET /blocks. */
const blocks = {
  record: "Block",
  fields: {
    id: integerId,
    operation_id: { type: "integer", nullable: false, description: "Parent operation." },
    polygon_id: { type: "integer", nullable: true, description: "Number of the block within the operation." },
    name: { type: "string", nullable: true, description: "Name of the block." },
    geo_boundaries: { type: "polygon", nullable: false, description: "Block boundary." },
  },
  endpoint: {
    path: "/blocks",
    summary: "Blocks of operations.",
    filters: { operation_id: { kind: "integer", required: true, description: "Operation ids; at least one." } },
    pageSize: unshownPageSize,
    sort: unshownSort,
  },
  table: "blocks",
  site: { by: "operation_id", of: "operations" },
} as const satisfies Resource;

/**
 * A part of an operation's area. Specification: Block.
 *
 * @interface
 */
export type Block = RecordOf<typeof blocks>;

/** Contract of datasets. Specification: Dataset, GET /datasets. */
const datasets = {
  record: "Dataset",
  fields: {
    id: integerId,
    identifier: { type: "string", nullable: false, description: "Identifier as text." },
    site_id: { type: "integer", nullable: true, description: "Site; null for company-level datasets." },
    operation_id: {
      type: "integer",
      nullable: true,
      description: "Operation; null for site-level and company-level datasets.",
    },
    name: { type: "string", nullable: false, description: "Name of the dataset." },
    status: {
      type: "string",
      nullable: false,
      description: "State of the dataset.",
      seen: ["COMPLETED", "PROCESSING"],
    },
    semantic_type: {
      type: "string",
      nullable: true,
      description: "Semantic type of the dataset; null for untyped datasets.",
      seen: semanticTypes,
    },
    layout_definition: { type: "layout", nullable: true, description: "Display layout of the properties." },
  },
  hidden: {
    type: {
      type: "string",
      nullable: false,
      description: "How the data is stored. Only geojson-layer datasets hold layer features.",
      seen: [
        "geojson-layer",
        "tile-layer",
        "tile-layer-raw",
        "3d-point-cloud",
        "3d-mesh",
        "photos",
        "georeferenced-pdf",
        "dxf",
      ],
    },
    created_at: { type: "timestamp", nullable: true, description: "When the dataset was created." },
    updated_at: { type: "timestamp", nullable: true, description: "When the dataset was last changed." },
  },
  endpoint: {
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
      semantic_type: {
        kind: "string",
        seen: semanticTypes,
        nullable: true,
        description: "Semantic types; null selects untyped datasets.",
      },
    },
    pageSize: shownPageSize,
    sort: {
      fields: ["id", "created_at", "updated_at"],
      complete: true,
      default: [{ field: "id", descending: true }],
    },
  },
  table: "datasets",
  site: { by: "site_id", shared: true },
} as const satisfies Resource;

/**
 * A container of layer features or files. Specification: Dataset.
 *
 * @interface
 */
export type Dataset = RecordOf<typeof datasets>;

/** Contract of layerFeatures. Specification: Layer feature, GET /layerFeatures. */
const layerFeatures = {
  record: "LayerFeature",
  fields: {
    id: { ...integerId, description: "Join key for property changes; always present." },
    visible_id: {
      type: "string",
      nullable: "tolerated",
      description: "Human-readable identifier, as in the web application.",
    },
    properties: {
      type: "object",
      nullable: false,
      description: "Values by built-in key or property-definition UUID; their type follows the definition.",
    },
    geometry: { type: "geometry", nullable: "tolerated", description: "Location on site (GeoJSON, WGS 84)." },
    dataset_id: { type: "integer", nullable: false, description: "Dataset that holds the feature." },
    site_id: { type: "integer", nullable: true, description: "Site of the feature." },
    operation_id: { type: "integer", nullable: true, description: "Operation; null for site-level features." },
    company_id: { type: "integer", nullable: false, description: "Owning company." },
    semantic_type: { type: "string", nullable: true, description: "Semantic type of the feature." },
    description: { type: "string", nullable: "tolerated", description: "Free text." },
    created_at: { type: "timestamp", nullable: false, description: "When the feature was created." },
    updated_at: { type: "timestamp", nullable: false, description: "When the feature was last changed." },
  },
  endpoint: {
    path: "/layerFeatures",
    summary: "Layer features: records inside geojson-layer datasets.",
    filters: {
      site_id: { kind: "integer", nullable: true, description: "Site ids; null selects features without a site." },
      operation_id: {
        kind: "integer",
        nullable: true,
        description: "Operation ids; null selects features without an operation.",
      },
      dataset_id: integers("Dataset ids."),
      semantic_type: {
        kind: "string",
        seen: semanticTypes,
        nullable: true,
        description: "Semantic types; null selects untyped features.",
      },
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
  table: "layer_features",
  site: { by: "site_id" },
} as const satisfies Resource;

/**
 * An object found or built on a site. Specification: Layer feature.
 *
 * @interface
 */
export type LayerFeature = RecordOf<typeof layerFeatures>;

/** Contract of propertyDefinitions. Specification: Property definition, GET /propertyDefinitions. */
const propertyDefinitions = {
  record: "PropertyDefinition",
  fields: {
    id: uuidId,
    dataset_id: { type: "integer", nullable: false, description: "Dataset that the definition belongs to." },
    name: { type: "string", nullable: false, description: "Name of the property." },
    description: { type: "string", nullable: true, description: "Free text." },
    display_order: {
      type: "integer",
      nullable: "tolerated",
      deprecated: true,
      description: "Deprecated: derived from the position in the dataset's layout_definition.",
    },
    type: {
      type: "string",
      nullable: false,
      description: "Type of the property's values.",
      seen: ["STRING", "FLOAT", "OPTION", "RELATIONSHIP"],
    },
    config: {
      type: "object",
      nullable: "tolerated",
      description: "Depends on the type; the option list of OPTION properties.",
    },
  },
  endpoint: {
    path: "/propertyDefinitions",
    summary: "Definitions of the custom properties of datasets.",
    filters: {
      dataset_id: integers("Dataset ids; omit to list across all datasets that the caller can access."),
      type: { kind: "string", description: "Property definition types." },
    },
    pageSize: shownPageSize,
    sort: {
      fields: ["id", "display_order"],
      complete: true,
      default: [{ field: "display_order", descending: false }],
      deprecated: ["display_order"],
    },
  },
  table: "property_definitions",
  site: { by: "dataset_id", of: "datasets" },
} as const satisfies Resource;

/**
 * The definition of a UUID key in a feature's properties. Specification: Property definition.
 *
 * @interface
 */
export type PropertyDefinition = RecordOf<typeof propertyDefinitions>;

/** Contract of propertyChanges. Specification: Property change, GET /propertyChanges. */
const propertyChanges = {
  record: "PropertyChange",
  fields: {
    id: { ...uuidId, description: "Identifier; assigned at insert, increases with insertion order." },
    layer_feature_id: { type: "integer", nullable: false, description: "Feature that was changed." },
    property_key: { type: "string", nullable: false, description: "Built-in key or property-definition UUID." },
    new_value: { type: "json", nullable: true, description: "New value; null when the property was cleared." },
    system: { type: "boolean", nullable: false, description: "True when the system made the change." },
    user_id: { type: "integer", nullable: true, personal: true, description: "Person; null for system changes." },
    caused_by_change_id: {
      type: "uuid",
      nullable: true,
      description: "The change that this one is a knock-on effect of; null for direct changes.",
    },
    created_at: { type: "timestamp", nullable: false, description: "When the edit was made, by the client's clock." },
  },
  endpoint: {
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
    pageSize: shownPageSize,
    sort: {
      fields: ["created_at", "id"],
      complete: true,
      default: [
        { field: "created_at", descending: false },
        { field: "id", descending: false },
      ],
    },
  },
  table: "property_changes",
  site: { by: "layer_feature_id", of: "layerFeatures" },
} as const satisfies Resource;

/**
 * One edit of one property of one feature. Specification: Property change.
 *
 * @interface
 */
export type PropertyChange = RecordOf<typeof propertyChanges>;

/** The record type of each resource. */
export interface Records {
  /** Solar parks, wind farms, roads. */
  sites: Site;
  /** Captures of a site. */
  operations: Operation;
  /** Parts of an operation's area. */
  blocks: Block;
  /** Containers of layer features and files. */
  datasets: Dataset;
  /** Objects found or built. */
  layerFeatures: LayerFeature;
  /** Definitions of the properties' UUIDs. */
  propertyDefinitions: PropertyDefinition;
  /** The log of edits. */
  propertyChanges: PropertyChange;
}

/**
 * The contract, the only list of resources: endpoints, record checks, tables of snapshots, pulls and the access of keys
 * are derived from it. A resource precedes the resources that belong to it; pulls follow this order.
 * Specification: Resources and their fields.
 */
export const resources = {
  sites,
  operations,
  blocks,
  datasets,
  layerFeatures,
  propertyDefinitions,
  propertyChanges,
} as const satisfies { readonly [R in keyof Records]: Resource };

/**
 * Name of a resource and of its endpoint: `layerFeatures`.
 *
 * @useDeclaredType
 */
export type ResourceName = keyof typeof resources;
