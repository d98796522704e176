import type { Block, Operation } from "../api/resources.js";

/**
 * The blocks of sites. If repeated operations have blocks with the same site and name, the block of the last operation
 * is used.
 */
export function siteBlocks(
  operations: readonly Pick<Operation, "id" | "site_id" | "date_captured">[],
  blocks: readonly Block[],
): readonly Block[] {
  const operationById = new Map(operations.map((operation) => [operation.id, operation]));
  const dateOf = ({ operation_id }: Block) => operationById.get(operation_id)?.date_captured ?? "";
  const lastBlocks = new Map<string, Block>();
  for (const block of blocks.toSorted((a, b) => (dateOf(a) < dateOf(b) ? -1 : 1))) {
    const { name, geo_boundaries } = block;
    const site = operationById.get(block.operation_id)?.site_id;
    lastBlocks.set(JSON.stringify([site, name ?? geo_boundaries]), block);
  }
  return [...lastBlocks.values()].sort((a, b) => a.id - b.id);
}
