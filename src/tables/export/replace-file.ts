import { randomUUID } from "node:crypto";
import { chmod, readdir, realpath, rm, stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { removeFile, renamePath } from "../../core/busy-files.js";
import { FileError, SiteframeError } from "../../core/errors.js";
import { diskReason } from "../../core/make-folder.js";
import { isUuid } from "../../core/uuid.js";

const UNFINISHED = ".unfinished";
/** A temporary file without writes for this long belongs to a process that was killed. */
const DEAD_MS = 3_600_000;

/**
 * Writes a file completely or not at all: to a temporary file in the same folder, which is then renamed. If writing
 * fails, the old file stays. Paths that are not regular files, such as `/dev/stdout`, are written directly. Temporary
 * files of killed processes are removed after an hour.
 *
 * @param write creates a file at the given absolute path
 * @throws FileError for a path that is a folder, is in a folder that does not exist or cannot be written to, or is
 * on a full disk
 */
export async function replaceFile(path: string, write: (path: string) => Promise<void>): Promise<void> {
  const target = await realpath(path).catch(() => resolve(path));
  const before = await stat(target).catch(() => undefined);
  if (before?.isDirectory()) throw new FileError(`${path} is a folder, not a file.`, { facts: { path } });
  if (before && !before.isFile()) return write(resolve(path));
  const problem = process.platform === "win32" ? windowsNameProblem(basename(target)) : undefined;
  if (problem) throw new FileError(`${path} cannot be written: ${problem}.`, { facts: { path } });
  const folder = await stat(dirname(target)).catch(() => undefined);
  if (!folder?.isDirectory()) {
    throw new FileError(`${path} cannot be written: the folder ${dirname(target)} is missing.`, {
      hint: "Create the folder first.",
      facts: { path },
    });
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

/**
 * The error for a full disk. Errors of reading the source, and errors that already have a message for users, are
 * unchanged.
 */
function diskError(cause: unknown, path: string, unfinished: string): unknown {
  const reason = diskReason(cause);
  const { syscall, path: at, message } = cause instanceof Error ? (cause as NodeJS.ErrnoException) : {};
  const isOther = syscall === "read" || (at !== undefined && at !== unfinished);
  const isTold = cause instanceof SiteframeError && !message?.includes(unfinished);
  if (!reason || isOther || isTold) return cause;
  return new FileError(`${path} cannot be written: ${reason.words.replaceAll(unfinished, path)}.`, {
    cause,
    hint: `${reason.needsRoom ? "Free disk space and write it again" : "Use a path that can be written"}. An existing file is unchanged.`,
    facts: { path },
  });
}

async function removeDead(target: string): Promise<void> {
  const prefix = `${basename(target)}.`;
  for (const name of await readdir(dirname(target)).catch(() => [])) {
    const isOurs = name.startsWith(prefix) && name.endsWith(UNFINISHED);
    if (!isOurs || !isUuid(name.slice(prefix.length, -UNFINISHED.length))) continue;
    const path = join(dirname(target), name);
    const stats = await stat(path).catch(() => undefined);
    if (stats?.isFile() && Date.now() - stats.mtimeMs > DEAD_MS) await rm(path, { force: true }).catch(() => {});
  }
}

/** Names of devices, with any extension. */
const DEVICE = /^(?:CON|PRN|AUX|NUL|(?:COM|LPT)[1-9¹²³])(?:\.|$)/i;
// biome-ignore lint/suspicious/noControlCharactersInRegex: Windows refuses them.
const REFUSED = /[<>:"/\\|?*\u0000-\u001f]/;

/**
 * Returns why Windows does not allow a file name, to follow the name in an error message; undefined if it does. Windows
 * itself reports most of these names as a missing folder, and writes `a:b` into a hidden stream of the file `a`.
 *
 * @param name without its folder
 */
export function windowsNameProblem(name: string): string | undefined {
  const [refused] = REFUSED.exec(name) ?? [];
  if (refused !== undefined) return `Windows does not allow ${JSON.stringify(refused)} in names of files`;
  if (/[. ]$/.test(name)) return "on Windows, names of files must not end with a dot or a space";
  const [device] = DEVICE.exec(name) ?? [];
  return device && `${device.replace(".", "")} is the name of a device on Windows`;
}
