import type { RecordOf, Resource } from "../contract.js";
import { integerId, integers, unshownPageSize } from "./endpoint-parts.js";
import { semanticTypes } from "./semantic-types.js";

/** Contract of layerFeatures. Specification: Layer feature, GET /layerFeatures. */
export const layerFeatures = {
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
    semantic_type: { type: "string", nullable: true, description: "What the feature represents." },
    description: { type: "string", nullable: "tolerated", description: "Free text." },
    created_at: { type: "timestamp", nullable: false, description: "When the feature was created." },
    updated_at: { type: "timestamp", nullable: false, description: "When the feature was last changed." },
  },
  endpoint: {
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
      semantic_type: {
        kind: "string",
        seen: semanticTypes,
        nullable: true,
        description: "Semantic types; null allowed.",
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
 * Something found or built on a site. Specification: Layer feature.
 *
 * @interface
 */
export type LayerFeature = RecordOf<typeof layerFeatures>;
