import { SiteframeError, SnapshotError } from "../../core/errors.js";
import { ReadFailures } from "../database/read-failures.js";
import { diskError } from "../folder/disk-error.js";
import { readManifest } from "../folder/read-manifest.js";
import { WORK_MEMORY_MB } from "./work-tables.js";

/** What it means that a pull failed: the disk, records beyond measure, or a file of the state before that is damaged. */
export async function pullError(error: unknown, root: string, signal: AbortSignal | undefined): Promise<unknown> {
  const told = diskError(error, root, "pull again: what stood there is untouched, and it goes on where it stopped");
  if (told !== error || signal?.aborted) return told;
  if (isOutOfMemory(error)) {
    return new SnapshotError(
      `Records are too large to be stored in ${root}: those of a request are put together in ${WORK_MEMORY_MB} MB of memory.`,
      {
        cause: error,
        hint: "Look for values and geometries of several megabytes; what stood in the folder is untouched.",
        facts: { path: root },
      },
    );
  }
  const present = await readManifest(root).catch(() => undefined);
  return present ? new ReadFailures(root, present).explainQuery(error) : error;
}

/** DuckDB's own words. A database in which no large record is never needs so much. */
function isOutOfMemory(error: unknown): boolean {
  return error instanceof Error && !(error instanceof SiteframeError) && /^Out of Memory Error/.test(error.message);
}
