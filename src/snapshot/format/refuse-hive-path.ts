import { resolve } from "node:path";
import { SnapshotError } from "../../core/errors.js";

/**
 * Refuses a snapshot below a folder like `site_id=9`: readers of Hive partitions, DuckDB among them, would take that
 * site for the site of every row.
 *
 * @throws SnapshotError
 */
export function refuseHivePath(path: string): void {
  const partition = /(?:^|[\\/])(site_id=[^\\/]*)/i.exec(resolve(path))?.[1];
  if (partition === undefined) return;
  throw new SnapshotError(`${path} lies in ${partition}, which would be taken for the site of every row.`, {
    hint: "Move the snapshot to a folder of another name.",
    facts: { path },
  });
}
