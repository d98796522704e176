import type { RecordOf, Resource } from "../contract.js";
import { shownPageSize, uuidId } from "./endpoint-parts.js";

/** Contract of propertyChanges. Specification: Property change, GET /propertyChanges. */
export const propertyChanges = {
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
  table: "property_changes",
  site: { by: "layer_feature_id", of: "layerFeatures" },
} as const satisfies Resource;

/**
 * One edit of one property of one feature. Specification: Property change.
 *
 * @interface
 */
export type PropertyChange = RecordOf<typeof propertyChanges>;
