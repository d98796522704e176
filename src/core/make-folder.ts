import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { diskReason } from "./disk-reason.js";
import { ArgumentError } from "./errors.js";
import { reasonOf } from "./show-value.js";

const words: Readonly<Record<string, string>> = {
  EEXIST: "a file has the name of the folder",
  ENAMETOOLONG: "the name of its folder is too long",
  ENOENT: "its folder cannot be made",
  ENOTDIR: "a part of its path is a file, not a folder",
};

/** Why a folder cannot be made, behind "cannot be written: ". */
export function folderReason(error: unknown): string {
  const { code = "" } = error instanceof Error ? (error as NodeJS.ErrnoException) : {};
  return diskReason(error)?.words ?? words[code] ?? reasonOf(error);
}

/**
 * Makes the folder of a file that will be written, and those above it.
 *
 * @throws ArgumentError with the path of the file and the reason
 */
export async function makeFolderOf(path: string): Promise<void> {
  try {
    await mkdir(dirname(path), { recursive: true });
  } catch (cause) {
    throw new ArgumentError(`${path} cannot be written: ${folderReason(cause)}.`, {
      cause,
      hint: "Give a path in a folder that can be written.",
      facts: { path },
    });
  }
}
