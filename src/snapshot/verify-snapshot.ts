import type { Verification } from "./verify-folder.js";

/**
 * Returns problems of a snapshot: files that differ from its manifest, and unresolved references between its records.
 * It does the same checks as `siteframe verify`.
 *
 * @param path of the snapshot folder
 * @param generation to check. Default: the current one
 * @example
 * ```ts
 * const { files, damage } = await verifySnapshot("acme.snapshot");
 * console.log(files > 0, damage);
 * ```
 * @throws SnapshotError if the folder is not a snapshot or its manifest was altered
 */
export async function verifySnapshot(path: string, generation?: number): Promise<Verification> {
  const { verifyFolder } = await import("./verify-folder.js");
  return verifyFolder(path, generation);
}
