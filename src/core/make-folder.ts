import { mkdirSync, statSync } from "node:fs";
import { mkdir, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { FileError } from "./errors.js";
import { reasonOf } from "./show-value.js";

/** Why a disk cannot be written. */
interface DiskReason {
  /** Phrase for the end of "cannot be written: …". */
  readonly words: string;
  readonly needsRoom: boolean;
}

interface Kind {
  /** Codes of Node. */
  readonly codes: readonly string[];
  /** Messages of DuckDB and others. */
  readonly pattern: RegExp;
  /** The error's own if absent. */
  readonly words?: string;
  readonly needsRoom?: boolean;
}

/** Windows also denies permission to replace a file that is open, for example in Excel. */
const orOpen = process.platform === "win32" ? ", or another program has it open" : "";

const kinds: readonly Kind[] = [
  {
    codes: ["ENOSPC"],
    pattern: /No space left/i,
    words: "the device has no space left",
    needsRoom: true,
  },
  { codes: ["EDQUOT"], pattern: /quota exceeded/i, words: "the disk quota is used up", needsRoom: true },
  { codes: ["EFBIG"], pattern: /File too large/i, words: "a file would be too large", needsRoom: true },
  { codes: ["EROFS"], pattern: /Read-only/i, words: "the file system is read-only" },
  { codes: ["EBUSY"], pattern: /being used by another process/i, words: "another program has it open" },
  { codes: ["EACCES", "EPERM"], pattern: /Permission denied/i, words: `permission is denied${orOpen}` },
  { codes: ["EIO"], pattern: /Could not write/i },
];

/** Returns the reason if an error means that a disk is full or not writable; otherwise undefined. */
export function diskReason(error: unknown): DiskReason | undefined {
  const text = error instanceof Error ? error.message : String(error);
  const [code = ""] = /^E[A-Z0-9]+(?=:)/.exec(text) ?? [];
  // Names of files and folders may contain any of these words.
  const outside = text.replace(/"[^"]*"|'[^']*'/g, "");
  const kind = kinds.find(({ codes, pattern }) => codes.includes(code) || pattern.test(outside));
  return kind && { words: kind.words ?? text.split("\n", 1).join(), needsRoom: kind.needsRoom ?? false };
}

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
