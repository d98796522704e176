import type { RecordOf, Resource } from "../contract.js";
import { integers, shownPageSize, uuidId } from "./endpoint-parts.js";

/** Contract of propertyDefinitions. Specification: Property definition, GET /propertyDefinitions. */
export const propertyDefinitions = {
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
  table: "property_definitions",
  site: { by: "dataset_id", of: "datasets" },
} as const satisfies Resource;

/**
 * What a UUID among a feature's properties means. Specification: Property definition.
 *
 * @interface
 */
export type PropertyDefinition = RecordOf<typeof propertyDefinitions>;
