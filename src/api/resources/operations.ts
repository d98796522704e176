import type { RecordOf, Resource } from "../contract.js";
import { integerId, integers, unshownPageSize } from "./endpoint-parts.js";

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
export const operations = {
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
    pageRequired: false,
    pageSize: unshownPageSize,
    sort: { fields: ["date_captured"], complete: false, properties: false, default: null },
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
