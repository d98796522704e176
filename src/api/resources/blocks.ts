import type { RecordOf, Resource } from "../contract.js";
import { integerId, unshownPageSize, unshownSort } from "./endpoint-parts.js";

/** Contract of blocks. Specification: Block, GET /blocks. */
export const blocks = {
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
    pageRequired: false,
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
