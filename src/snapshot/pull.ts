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
 * Writes all records of a source into a snapshot folder, or updates the folder.
 *
 * Readers see the old generation until the new one is complete; the earlier generations are kept. The next pull
 * continues an interrupted one after its last complete step.
 *
 * @param path of the folder, which is created if missing
 * @example
 * ```ts
 * const report = await pull(source, "acme.snapshot", { site_id: 101 });
 * console.log(report.generation, report.found);
 * ```
 * @throws SnapshotError if the folder is not a snapshot, cannot be written, is being written by another process, comes
 * from another address, or if the API key can read less than the folder has; if the folder has person data and the pull
 * stores pseudonyms, or vice versa, without `rewrite`
 */
export async function pull(source: Source, path: string, options: PullOptions = {}): Promise<PullReport> {
  checkOptions("pull()", options, pullRules);
  const { pullFolder } = await import("./pull/pull-folder.js");
  return pullFolder(source, path, options);
}
