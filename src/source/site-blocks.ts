import type { Block, Operation } from "../api/resources.js";

/**
 * The blocks of sites. If repeated operations have blocks with the same site and name, the block of the last operation
 * is used.
 */
export function siteBlocks(
  operations: readonly Pick<Operation, "id" | "site_id" | "date_captured">[],
  blocks: readonly Block[],
): readonly Block[] {
  const known = new Map(operations.map((operation) => [operation.id, operation]));
  const dateOf = ({ operation_id }: Block) => known.get(operation_id)?.date_captured ?? "";
  const found = new Map<string, Block>();
  for (const block of blocks.toSorted((a, b) => (dateOf(a) < dateOf(b) ? -1 : 1))) {
    const { name, geo_boundaries } = block;
    const site = known.get(block.operation_id)?.site_id;
    found.set(JSON.stringify([site, name ?? geo_boundaries]), block);
  }
  return [...found.values()].sort((a, b) => a.id - b.id);
}
