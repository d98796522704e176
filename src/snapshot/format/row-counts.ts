import type { ResourceName } from "../../api/resources.js";
import type { Manifest } from "./manifest.js";

/** Rows by resource. */
export type RowCounts = Readonly<Partial<Record<ResourceName, number>>>;

/** The rows of each resource of a snapshot. */
export function rowCounts({ files }: Manifest): RowCounts {
  const counts: Partial<Record<ResourceName, number>> = {};
  for (const { resource, rows } of files) counts[resource] = (counts[resource] ?? 0) + rows;
  return counts;
}
