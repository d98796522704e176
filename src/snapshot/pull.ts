import { readRules } from "../client/read-options.js";
import { anything, callback, checkOptions, flag, type OptionRules } from "../core/options.js";
import type { Source } from "../source/source.js";
import type { PullOptions, PullReport } from "./pull/pull-options.js";

const pullRules: OptionRules<PullOptions> = {
  ...readRules,
  site_id: anything,
  allowShrink: flag,
  allowMove: flag,
  fullLog: flag,
  rewrite: flag,
  resumeMs: anything,
  now: callback,
};

/**
 * Writes everything that a source has into a snapshot folder, or brings the folder up to date.
 *
 * Readers see the old state until the new one is complete; then a new generation stands beside the earlier ones. A
 * pull that is interrupted, in whatever way, is continued by the next one behind the last step that was complete.
 *
 * @param path of the folder; it is made if absent
 * @throws SnapshotError if the folder is something else, cannot be written, is being written by another process, comes
 * from another address, or if the key sees less than the folder holds; if the folder holds person data and the pull stores
 * pseudonyms, or the other way round, and `rewrite` is not set
 */
export async function pull(source: Source, path: string, options: PullOptions = {}): Promise<PullReport> {
  checkOptions("pull()", options, pullRules);
  const { pullFolder } = await import("./pull/pull-folder.js");
  return pullFolder(source, path, options);
}
