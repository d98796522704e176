import { mkdirSync, statSync } from "node:fs";
import { mkdir, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { diskReason } from "./disk-reason.js";
import { FileError } from "./errors.js";
import { reasonOf } from "./show-value.js";

const words: Readonly<Record<string, string>> = {
  EEXIST: "a file has the name of the folder",
  ENAMETOOLONG: "the name of its folder is too long",
  ENOENT: "its folder cannot be created",
  ENOTDIR: "a part of its path is a file, not a folder",
};

/** Returns why a folder cannot be created, for the end of "cannot be written: …". */
export function folderReason(error: unknown): string {
  const { code = "" } = error instanceof Error ? (error as NodeJS.ErrnoException) : {};
  return diskReason(error)?.words ?? words[code] ?? reasonOf(error);
}

/**
 * Creates a folder and its missing parents. Node's `mkdir()` with `recursive` never returns below `/proc`: a new folder
 * is refused there with ENOENT although its parent exists, so Node tries both in turn.
 *
 * @param mode of the created folders
 * @returns the first created folder; undefined if all existed
 */
export async function makeFolder(path: string, mode?: number): Promise<string | undefined> {
  try {
    await mkdir(path, mode);
    return path;
  } catch (error) {
    if ((await stat(path).catch(() => undefined))?.isDirectory()) return undefined;
    if (!isMissingParent(error, path)) throw error;
  }
  const made = await makeFolder(dirname(path), mode);
  try {
    await mkdir(path, mode);
  } catch (error) {
    // Another process may have created it meanwhile.
    if (!(await stat(path).catch(() => undefined))?.isDirectory()) throw error;
  }
  return made ?? path;
}

/** Synchronous `makeFolder()`. */
export function makeFolderSync(path: string, mode?: number): void {
  try {
    mkdirSync(path, mode);
    return;
  } catch (error) {
    if (isFolder(path)) return;
    if (!isMissingParent(error, path)) throw error;
  }
  makeFolderSync(dirname(path), mode);
  try {
    mkdirSync(path, mode);
  } catch (error) {
    if (!isFolder(path)) throw error;
  }
}

function isMissingParent(error: unknown, path: string): boolean {
  return (error as NodeJS.ErrnoException).code === "ENOENT" && dirname(path) !== path;
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

/**
 * Creates the parent folders of a file to be written.
 *
 * @throws FileError with the path of the file and the reason
 */
export async function makeFolderOf(path: string): Promise<void> {
  try {
    await makeFolder(dirname(path));
  } catch (cause) {
    throw new FileError(`${path} cannot be written: ${folderReason(cause)}.`, {
      cause,
      hint: "Use a path in a writable folder.",
      facts: { path },
    });
  }
}
