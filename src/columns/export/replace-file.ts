import { randomUUID } from "node:crypto";
import { chmod, realpath, rename, rm, stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { ArgumentError } from "../../core/errors.js";

/**
 * Writes a file whole or not at all: beside its place, to which it then is renamed. What stood there stays if the
 * writing fails. What is no file, such as `/dev/stdout`, is written straight.
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
  const unfinished = `${target}.${randomUUID()}.unfinished`;
  try {
    await write(unfinished);
    if (before) await chmod(unfinished, before.mode);
    await rename(unfinished, target);
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
}
