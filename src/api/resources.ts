import type { Field, RecordOf, Resource } from "./field.js";

const id = { type: "integer", nullable: false, description: "Identifier." } as const satisfies Field;
const uuid = { type: "uuid", nullable: false, description: "Identifier." } as const satisfies Field;

const site = {
  record: "Site",
  neverOmits: true,
  fields: {
    id,
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
} as const satisfies Resource;

const operation = {
  record: "Operation",
  fields: {
    id,
    site_id: { type: "integer", nullable: false, description: "Parent site." },
    date_captured: { type: "date", nullable: true, description: "Date of capture." },
    status: {
      type: "string",
      nullable: false,
      description: "State of the operation. Only COMPLETED operations have delivered data layers.",
      values: [
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
      ],
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
} as const satisfies Resource;

const block = {
  record: "Block",
  fields: {
    id,
    operation_id: { type: "integer", nullable: false, description: "Parent operation." },
    polygon_id: { type: "integer", nullable: true, description: "Number of the block within the operation." },
    name: { type: "string", nullable: true, description: "Name of the block." },
    geo_boundaries: { type: "polygon", nullable: false, description: "Block boundary." },
  },
} as const satisfies Resource;

const dataset = {
  record: "Dataset",
  fields: {
    id,
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
      description: "What the dataset represents; null for untyped datasets.",
      seen: [
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
      ],
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
} as const satisfies Resource;

const layerFeature = {
  record: "LayerFeature",
  fields: {
    id: { ...id, description: "Join key for property changes; always present." },
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
    semantic_type: { type: "string", nullable: true, description: "What the feature represents." },
    description: { type: "string", nullable: "tolerated", description: "Free text." },
    created_at: { type: "timestamp", nullable: false, description: "When the feature was created." },
    updated_at: { type: "timestamp", nullable: false, description: "When the feature was last changed." },
  },
} as const satisfies Resource;

const propertyDefinition = {
  record: "PropertyDefinition",
  fields: {
    id: uuid,
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
} as const satisfies Resource;

const propertyChange = {
  record: "PropertyChange",
  fields: {
    id: { ...uuid, description: "Identifier; assigned at insert, increases with insertion order." },
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
} as const satisfies Resource;

/** The seven resources by the name of their endpoint. Specification: Resources and their fields. */
export const resources = {
  sites: site,
  operations: operation,
  blocks: block,
  datasets: dataset,
  layerFeatures: layerFeature,
  propertyDefinitions: propertyDefinition,
  propertyChanges: propertyChange,
} as const satisfies Readonly<Record<string, Resource>>;

/**
 * Name of a resource and of its endpoint: `layerFeatures`.
 *
 * @useDeclaredType
 */
export type ResourceName = keyof typeof resources;

/**
 * A solar park, a wind farm, a road. Specification: Site.
 *
 * @interface
 */
export type Site = RecordOf<typeof site>;
/**
 * One data capture on a site. Specification: Operation.
 *
 * @interface
 */
export type Operation = RecordOf<typeof operation>;
/**
 * A part of an operation's area. Specification: Block.
 *
 * @interface
 */
export type Block = RecordOf<typeof block>;
/**
 * What layer features and files are kept in. Specification: Dataset.
 *
 * @interface
 */
export type Dataset = RecordOf<typeof dataset>;
/**
 * Something found or built on a site. Specification: Layer feature.
 *
 * @interface
 */
export type LayerFeature = RecordOf<typeof layerFeature>;
/**
 * What a UUID among a feature's properties means. Specification: Property definition.
 *
 * @interface
 */
export type PropertyDefinition = RecordOf<typeof propertyDefinition>;
/**
 * One edit of one property of one feature. Specification: Property change.
 *
 * @interface
 */
export type PropertyChange = RecordOf<typeof propertyChange>;

/** The record type of each resource. */
export interface Records {
  /** Solar parks, wind farms, roads. */
  sites: Site;
  /** Captures of a site. */
  operations: Operation;
  /** Parts of an operation's area. */
  blocks: Block;
  /** What layer features and files are kept in. */
  datasets: Dataset;
  /** What was found or built. */
  layerFeatures: LayerFeature;
  /** What the properties' UUIDs mean. */
  propertyDefinitions: PropertyDefinition;
  /** The log of edits. */
  propertyChanges: PropertyChange;
}
