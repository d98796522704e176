import { constants, lstatSync, type Stats } from "node:fs";
import { readdir, readlink } from "node:fs/promises";
import { join, resolve } from "node:path";
import { SnapshotError } from "../../core/errors.js";
import { COLUMNS, FILES, GENERATIONS, GONE_FEATURES, LAKE_NAME, MANIFEST_NAME, PULL_FOLDER } from "./manifest.js";
import { tableSchemas } from "./table-schema.js";

/** Flags with which files of a snapshot are opened: no link is followed, and no pipe is waited for. Windows has neither. */
export const READ_FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

const PART = /^part-[0-9a-f]{16}\.(?:parquet|columns)$/;

const SITE = /^site_id=(?:-?\d{1,16}|__HIVE_DEFAULT_PARTITION__)$/;

/** The folder of the files of a table, below the snapshot's. */
export function tableFolder(name: string): string {
  return `${FILES}/${name}`;
}

/** The folder of the column files of a table. */
export function columnsFolder(name: string): string {
  return `${FILES}/${COLUMNS}/${name}`;
}

/**
 * Whether a snapshot gives a file of a table this path: `files/layer_features/site_id=9/part-….parquet`. The paths
 * of a manifest or a journal are opened, removed and handed to engines, so no other string passes.
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

/** Whether a snapshot gives any of its files this path. Other files are left alone. */
export function isStoredPath(path: string): boolean {
  return fileFolders.some((folder) => isPartPath(path, folder));
}

const ownFolders: ReadonlySet<string> = new Set([FILES, GENERATIONS, PULL_FOLDER]);

/** Whether an entry of the snapshot's folder is the snapshot's. What is beside it is somebody else's. */
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
 * Refuses a folder whose snapshot has links in it: through them, what is removed or asked for would be files elsewhere.
 * The folder itself may be one. Pipes and devices are refused, too: they would be waited for.
 *
 * @throws SnapshotError naming the first of them
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

/** What stands at a path; nothing where it leads through a file. */
function statusOf(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOTDIR") return undefined;
    throw error;
  }
}

/**
 * Refuses a path of which a folder has become a link since the snapshot was opened. Call it right before the path is read,
 * written or removed.
 *
 * @param path below the snapshot's folder, with `/`
 * @throws SnapshotError naming the link
 */
export function refuseOutside(root: string, path: string): void {
  let at = root;
  for (const name of path.split("/").slice(0, -1)) {
    at = join(at, name);
    if (statusOf(at)?.isSymbolicLink()) throw linkError(at);
  }
}

/**
 * How long a file of a snapshot is; undefined if there is none.
 *
 * @param path below the snapshot's folder, with `/`
 * @throws SnapshotError if it is a link, is reached through one, or is no file
 */
export function fileBytes(root: string, path: string): number | undefined {
  refuseOutside(root, path);
  const place = join(root, path);
  const found = statusOf(place);
  if (found === undefined || found.isFile()) return found?.size;
  if (found.isSymbolicLink()) throw linkError(place);
  // A folder is no file: the one that should be there is missing.
  if (found.isDirectory()) return undefined;
  throw pipeError(place);
}

function linkError(path: string, target?: string): SnapshotError {
  const to = target === undefined ? "" : ` to ${target}`;
  return new SnapshotError(`${path} is a link${to}, and a snapshot has none: it could lead to files of others.`, {
    hint: "Remove the link, or put in its place what it leads to. The snapshot's folder itself may be a link.",
    facts: { path, ...(target === undefined ? {} : { target }) },
  });
}

function pipeError(path: string): SnapshotError {
  return new SnapshotError(`${path} is neither a file nor a folder, and a snapshot has nothing else.`, {
    hint: "Remove it.",
    facts: { path },
  });
}

/** Path of the manifest of an earlier generation. */
export function generationPath(root: string, generation: number): string {
  return `${pinnedPath(root, generation)}.json`;
}

/** The folder in which the tables of one state stand until it is pruned, within the snapshot's. */
export function pinnedFolder(generation: number): string {
  return `${GENERATIONS}/${generationName(generation)}`;
}

function generationName(generation: number): string {
  return String(generation).padStart(6, "0");
}

/** The generation whose manifest or pinned folder has a name, below `generations/`; undefined if it is another's. */
export function generationOf(name: string): number | undefined {
  const [number = ""] = name.split(".json", 1);
  const generation = Number(number);
  return [number, `${number}.json`].includes(name) && generationName(generation) === number ? generation : undefined;
}

/** Where it is. */
export function pinnedPath(root: string, generation: number): string {
  return join(root, pinnedFolder(generation));
}

/**
 * Refuses a snapshot below a folder like `site_id=9`: readers of Hive partitions, DuckDB among them, would take that
 * site for the site of every row.
 *
 * @throws SnapshotError
 */
export function refuseHivePath(path: string): void {
  const partition = /(?:^|[\\/])(site_id=[^\\/]*)/i.exec(resolve(path))?.[1];
  if (partition === undefined) return;
  throw new SnapshotError(`${path} lies in ${partition}, which would be taken for the site of every row.`, {
    hint: "Move the snapshot to a folder of another name.",
    facts: { path },
  });
}
