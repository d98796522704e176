import type { RecordOf, Resource } from "../contract.js";
import { integerId, integers, shownPageSize } from "./endpoint-parts.js";
import { semanticTypes } from "./semantic-types.js";

/** Contract of datasets. Specification: Dataset, GET /datasets. */
export const datasets = {
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
      description: "What the dataset represents; null for untyped datasets.",
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
    pageRequired: false,
    pageSize: shownPageSize,
    sort: {
      fields: ["id", "created_at", "updated_at"],
      complete: true,
      properties: false,
      default: [{ field: "id", descending: true }],
    },
  },
  table: "datasets",
  site: { by: "site_id", shared: true },
} as const satisfies Resource;

/**
 * What layer features and files are kept in. Specification: Dataset.
 *
 * @interface
 */
export type Dataset = RecordOf<typeof datasets>;
