import { ReadFailures } from "../database/read-failures.js";
import { diskError } from "../folder/disk-error.js";
import { readManifest } from "../folder/read-manifest.js";

/** What it means that a pull failed: the disk, or a file of the state before that is damaged. */
export async function pullError(error: unknown, root: string, signal: AbortSignal | undefined): Promise<unknown> {
  const told = diskError(error, root, "pull again: what stood there is untouched, and it goes on where it stopped");
  if (told !== error || signal?.aborted) return told;
  const present = await readManifest(root).catch(() => undefined);
  return present ? new ReadFailures(root, present).explainQuery(error) : error;
}
