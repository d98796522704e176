import { ReadFailures } from "../database/read-failures.js";
import { diskError, memoryError } from "../folder/disk-error.js";
import { readManifest } from "../folder/read-manifest.js";
import { WORK_MEMORY_MB } from "./work-tables.js";

/** What it means that a pull failed: the disk, records beyond measure, or a file of the state before that is damaged. */
export async function pullError(error: unknown, root: string, signal: AbortSignal | undefined): Promise<unknown> {
  const told = diskError(error, root, "pull again: what stood there is untouched, and it goes on where it stopped");
  if (told !== error || signal?.aborted) return told;
  const large = memoryError(error, root, `those of a request are put together in ${WORK_MEMORY_MB} MB of memory`);
  if (large !== error) return large;
  const present = await readManifest(root).catch(() => undefined);
  return present ? new ReadFailures(root, present).explainQuery(error) : error;
}
