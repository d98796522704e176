import { randomUUID } from "node:crypto";
import { chmod, readdir, realpath, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { ArgumentError } from "../../core/errors.js";
import { isUuid } from "../../core/uuid.js";

const UNFINISHED = ".unfinished";
/** A file that nobody has written to for so long is of a process that was killed. */
const DEAD_MS = 3_600_000;

/**
 * Writes a file whole or not at all: beside its place, to which it then is renamed. What stood there stays if the
 * writing fails. What is no file, such as `/dev/stdout`, is written straight. What an hour ago or earlier was left
 * beside it by a process that was killed is removed.
 *
 * @param write makes a file at the absolute path that it is given
 * @throws ArgumentError for a path that is a folder, or lies in a folder that does not exist
 */
export async function replaceFile(path: string, write: (path: string) => Promise<void>): Promise<void> {
  const target = await realpath(path).catch(() => resolve(path));
  const before = await stat(target).catch(() => undefined);
  if (before?.isDirectory()) throw new ArgumentError(`${path} is a folder, not a file.`, { facts: { path } });
  if (before && !before.isFile()) return write(resolve(path));
  const folder = await stat(dirname(target)).catch(() => undefined);
  if (!folder?.isDirectory()) {
    throw new ArgumentError(`${path} cannot be written: there is no folder ${dirname(target)}.`, { facts: { path } });
  }
  await removeDead(target);
  const unfinished = `${target}.${randomUUID()}${UNFINISHED}`;
  try {
    await write(unfinished);
    if (before) await chmod(unfinished, before.mode);
    await rename(unfinished, target);
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
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
