import { randomUUID } from "node:crypto";
import { constants, lstatSync, type Stats } from "node:fs";
import { readdir, readlink } from "node:fs/promises";
import { join, resolve } from "node:path";
import { SnapshotError } from "../../core/errors.js";
import { COLUMNS, FILES, GENERATIONS, GONE_FEATURES, LAKE_NAME, MANIFEST_NAME, PULL_FOLDER } from "./manifest.js";
import { tableSchemas } from "./table-schema.js";

/** Flags for opening files of snapshots: links are not followed, pipes not waited for. Windows has neither. */
export const READ_FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

const PART = /^part-[0-9a-f]{16}\.(?:parquet|columns)$/;

const SITE = /^site_id=(?:-?\d{1,16}|__HIVE_DEFAULT_PARTITION__)$/;

/** Beginning of the names of incomplete files and folders. */
export const UNFINISHED = ".unfinished-";

/** A new path in a snapshot folder for incomplete files. Only for the holder of the folder's lock. */
export function unfinishedPath(root: string): string {
  return join(root, `${UNFINISHED}${randomUUID()}`);
}

/** The folder of a table's files, below the snapshot folder. */
export function tableFolder(name: string): string {
  return `${FILES}/${name}`;
}

/** The folder of a table's column files. */
export function columnsFolder(name: string): string {
  return `${FILES}/${COLUMNS}/${name}`;
}

/**
 * Whether a path is valid for a file of a table: `files/layer_features/site_id=9/part-….parquet`. Paths in manifests
 * and journals are opened, removed and passed to engines, so other strings are rejected.
 *
 * @param folder `tableFolder()` or `columnsFolder()` of the table
 */
export function isPartPath(path: unknown, folder: string): path is string {
  if (typeof path !== "string" || !path.startsWith(`${folder}/`)) return false;
  const [name = "", ...site] = path
    .slice(folder.length + 1)
    .split("/")
    .reverse();
  const isColumns = folder.startsWith(`${FILES}/${COLUMNS}/`);
  if (!PART.test(name) || name.endsWith(".columns") !== isColumns) return false;
  return site.length === 0 || (site.length === 1 && SITE.test(site[0] as string));
}

const fileFolders: readonly string[] = [...tableSchemas.map(({ name }) => name), GONE_FEATURES].flatMap((name) => [
  tableFolder(name),
  columnsFolder(name),
]);

/** Whether a path is valid for any file of a snapshot. Other files are never touched. */
export function isStoredPath(path: string): boolean {
  return fileFolders.some((folder) => isPartPath(path, folder));
}

const ownFolders: ReadonlySet<string> = new Set([FILES, GENERATIONS, PULL_FOLDER]);

/** Whether an entry of the snapshot folder belongs to the snapshot. Other entries are foreign. */
export function isOwn(name: string): boolean {
  return (
    ownFolders.has(name) ||
    name === MANIFEST_NAME ||
    name === LAKE_NAME ||
    name === ".lock" ||
    name.startsWith(".lock-")
  );
}

/**
 * Rejects a snapshot that contains links, which could redirect reads and removals to other files. The folder itself may
 * be a link. Pipes and devices are rejected, too, since reading them would block.
 *
 * @throws SnapshotError with the first of them
 */
export async function refuseLinks(root: string): Promise<void> {
  await refuseBelow(root, isOwn);
}

async function refuseBelow(folder: string, isLookedAt: (name: string) => boolean): Promise<void> {
  // A prune may have removed the folder of a pinned generation.
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const inner: Promise<void>[] = [];
  for (const entry of entries) {
    if (!isLookedAt(entry.name) || entry.isFile()) continue;
    const path = join(folder, entry.name);
    if (entry.isDirectory()) inner.push(refuseBelow(path, () => true));
    else throw await strange(path, entry.isSymbolicLink());
  }
  await Promise.all(inner);
}

async function strange(path: string, isLink: boolean): Promise<SnapshotError> {
  return isLink ? linkError(path, await readlink(path).catch(() => undefined)) : pipeError(path);
}

/** Status of a path; undefined if it is missing or leads through a file. */
function statusOf(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOTDIR") return undefined;
    throw error;
  }
}

/**
 * Rejects a path if one of its folders has become a link since the snapshot was opened. Call it right before the path
 * is read, written or removed.
 *
 * @param path below the snapshot folder, with `/`
 * @throws SnapshotError with the link
 */
export function refuseOutside(root: string, path: string): void {
  let at = root;
  for (const name of path.split("/").slice(0, -1)) {
    at = join(at, name);
    if (statusOf(at)?.isSymbolicLink()) throw linkError(at);
  }
}

/**
 * Returns the length of a snapshot file; undefined if it is missing.
 *
 * @param path below the snapshot folder, with `/`
 * @throws SnapshotError if it is a link, is reached through a link, or is not a file
 */
export function fileBytes(root: string, path: string): number | undefined {
  refuseOutside(root, path);
  const file = join(root, path);
  const status = statusOf(file);
  if (status === undefined || status.isFile()) return status?.size;
  if (status.isSymbolicLink()) throw linkError(file);
  // A folder instead of the file: the file is missing.
  if (status.isDirectory()) return undefined;
  throw pipeError(file);
}

function linkError(path: string, target?: string): SnapshotError {
  const to = target === undefined ? "" : ` to ${target}`;
  return new SnapshotError(
    `${path} is a link${to}. Snapshots must not contain links, which could lead to other files.`,
    {
      hint: "Remove the link, or replace it with its target. Only the snapshot folder itself may be a link.",
      facts: { path, ...(target === undefined ? {} : { target }) },
    },
  );
}

function pipeError(path: string): SnapshotError {
  return new SnapshotError(`${path} is neither a file nor a folder.`, {
    hint: "Remove it from the snapshot folder.",
    facts: { path },
  });
}

/** Path of the manifest of an earlier generation. */
export function generationPath(root: string, generation: number): string {
  return `${pinnedPath(root, generation)}.json`;
}

/** Folder of the pinned tables of a generation, within the snapshot folder. */
export function pinnedFolder(generation: number): string {
  return `${GENERATIONS}/${generationName(generation)}`;
}

function generationName(generation: number): string {
  return String(generation).padStart(6, "0");
}

/** Generation of a manifest or pinned folder below `generations/`, by its name; undefined for other names. */
export function generationOf(name: string): number | undefined {
  const [number = ""] = name.split(".json", 1);
  const generation = Number(number);
  return [number, `${number}.json`].includes(name) && generationName(generation) === number ? generation : undefined;
}

/** Path of the pinned folder. */
export function pinnedPath(root: string, generation: number): string {
  return join(root, pinnedFolder(generation));
}

/**
 * Rejects a snapshot below a folder such as `site_id=9`, since readers of Hive partitions, including DuckDB, would use
 * that site for every row.
 *
 * @throws SnapshotError
 */
export function refuseHivePath(path: string): void {
  const partition = /(?:^|[\\/])(site_id=[^\\/]*)/i.exec(resolve(path))?.[1];
  if (partition === undefined) return;
  throw new SnapshotError(`${path} is below ${partition}, which readers would use as the site of every row.`, {
    hint: "Move the snapshot to a folder with a different name.",
    facts: { path },
  });
}
