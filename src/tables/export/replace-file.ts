import { randomUUID } from "node:crypto";
import { chmod, readdir, realpath, rm, stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { removeFile, renamePath } from "../../core/busy-files.js";
import { diskReason } from "../../core/disk-reason.js";
import { ArgumentError, SiteframeError } from "../../core/errors.js";
import { isUuid } from "../../core/uuid.js";
import { windowsNameProblem } from "../../core/windows-name.js";

const UNFINISHED = ".unfinished";
/** A file that nobody has written to for so long is of a process that was killed. */
const DEAD_MS = 3_600_000;

/**
 * Writes a file whole or not at all: beside its place, to which it then is renamed. What stood there stays if the
 * writing fails. What is no file, such as `/dev/stdout`, is written straight. What an hour ago or earlier was left
 * beside it by a process that was killed is removed.
 *
 * @param write makes a file at the absolute path that it is given
 * @throws ArgumentError for a path that is a folder, lies in a folder that does not exist or cannot be written, or has no
 * room left
 */
export async function replaceFile(path: string, write: (path: string) => Promise<void>): Promise<void> {
  const target = await realpath(path).catch(() => resolve(path));
  const before = await stat(target).catch(() => undefined);
  if (before?.isDirectory()) throw new ArgumentError(`${path} is a folder, not a file.`, { facts: { path } });
  if (before && !before.isFile()) return write(resolve(path));
  const problem = process.platform === "win32" ? windowsNameProblem(basename(target)) : undefined;
  if (problem) throw new ArgumentError(`${path} cannot be written: ${problem}.`, { facts: { path } });
  const folder = await stat(dirname(target)).catch(() => undefined);
  if (!folder?.isDirectory()) {
    throw new ArgumentError(`${path} cannot be written: there is no folder ${dirname(target)}.`, { facts: { path } });
  }
  await removeDead(target);
  const unfinished = `${target}.${randomUUID()}${UNFINISHED}`;
  try {
    await write(unfinished);
    if (before) await chmod(unfinished, before.mode);
    await renamePath(unfinished, target);
  } catch (error) {
    await removeFile(unfinished);
    throw diskError(error, path, unfinished);
  }
}

/** A full disk in words. Errors of what was read to be written, and those that are told already, stay as they are. */
function diskError(cause: unknown, path: string, unfinished: string): unknown {
  const reason = diskReason(cause);
  const { syscall, path: at, message } = cause instanceof Error ? (cause as NodeJS.ErrnoException) : {};
  const isOther = syscall === "read" || (at !== undefined && at !== unfinished);
  const isTold = cause instanceof SiteframeError && !message?.includes(unfinished);
  if (!reason || isOther || isTold) return cause;
  return new ArgumentError(`${path} cannot be written: ${reason.words.replaceAll(unfinished, path)}.`, {
    cause,
    hint: `${reason.needsRoom ? "Make room and write it again" : "Give a place that can be written"}; what stood there is untouched.`,
    facts: { path },
  });
}

async function removeDead(target: string): Promise<void> {
  const prefix = `${basename(target)}.`;
  for (const name of await readdir(dirname(target)).catch(() => [])) {
    const isOurs = name.startsWith(prefix) && name.endsWith(UNFINISHED);
    if (!isOurs || !isUuid(name.slice(prefix.length, -UNFINISHED.length))) continue;
    const path = join(dirname(target), name);
    const found = await stat(path).catch(() => undefined);
    if (found?.isFile() && Date.now() - found.mtimeMs > DEAD_MS) await rm(path, { force: true }).catch(() => {});
  }
}
