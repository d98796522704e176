import type { Verification } from "./verify-folder.js";

/**
 * Checks every file of a snapshot against its manifest, and the references between its records, as `siteframe verify`
 * does.
 *
 * @param path the snapshot's folder
 * @param generation the state to check; default: the present one
 * @throws SnapshotError if the folder is no snapshot or its manifest was altered
 */
export async function verifySnapshot(path: string, generation?: number): Promise<Verification> {
  const { verifyFolder } = await import("./verify-folder.js");
  return verifyFolder(path, generation);
}
