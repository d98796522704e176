import { join } from "node:path";
import type { DuckDBConnection } from "@duckdb/node-api";
import type { SnapshotFile } from "../format/manifest.js";
import { joinParts } from "./join-parts.js";
import { measureParts } from "./measure-parts.js";

/**
 * Joins the parts of a log that was written at once to full files, site by site.
 *
 * @param root folder in which the snapshot is being built and the parts are
 */
export async function joinLog(
  connection: DuckDBConnection,
  root: string,
  files: readonly SnapshotFile[],
): Promise<readonly SnapshotFile[]> {
  const joined: SnapshotFile[] = [];
  for (const parts of partsBySite(files).values()) {
    const placed = parts.map((file) => ({ file, path: join(root, file.path) }));
    joined.push(...(await joinParts(connection, root, await measureParts(connection, placed), rowsOf(parts))));
  }
  return joined;
}

/** The parts of each site. */
export function partsBySite(files: readonly SnapshotFile[]): ReadonlyMap<number | null, readonly SnapshotFile[]> {
  const sites = new Map<number | null, SnapshotFile[]>();
  for (const file of files) {
    const site = file.site_id ?? null;
    const parts = sites.get(site);
    if (parts) parts.push(file);
    else sites.set(site, [file]);
  }
  return sites;
}

/** The rows of some parts. */
export function rowsOf(parts: readonly SnapshotFile[]): number {
  return parts.reduce((sum, { rows }) => sum + rows, 0);
}
