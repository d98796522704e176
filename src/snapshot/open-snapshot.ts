import { checkOptions, integerFrom, type OptionRules } from "../core/options.js";
import type { OpenSnapshotOptions } from "./open-options.js";
import type { Snapshot } from "./snapshot.js";

const openSnapshotRules: OptionRules<OpenSnapshotOptions> = { generation: integerFrom(1) };

/**
 * Opens a snapshot folder as a source: the same calls and answers as the live API, from files. Only the sites and
 * columns that a call needs are read. Any number of readers may be open, also while a pull runs: each keeps the state
 * that it opened.
 *
 * @param path of the snapshot's folder
 * @throws SnapshotError if the folder is no snapshot, has another format version, does not hold the generation, or a
 * file is missing or truncated, or was altered in a table that is not kept by site. `siteframe verify` checks every
 * file's content.
 */
export async function openSnapshot(path: string, options: OpenSnapshotOptions = {}): Promise<Snapshot> {
  checkOptions("openSnapshot()", options, openSnapshotRules);
  const { openFolder } = await import("./open-folder.js");
  return openFolder(path, options);
}
