import { join } from "node:path";
import { SnapshotError } from "../../core/errors.js";
import { hashFile, hashFiles } from "../format/hash-files.js";
import { type Manifest, type StoredFile, storedFiles } from "../format/manifest.js";
import { fileBytes } from "../format/snapshot-paths.js";
import { schemaOf } from "../format/table-schema.js";

/** A problem of a file of a snapshot. */
export interface FileDamage {
  readonly file: StoredFile;
  /** Text after the file name: `is missing`. */
  readonly problem: string;
}

/** Starting a thread takes longer than hashing this many bytes. */
const SMALL_BYTES = 16 << 20;

/**
 * Checks that every file of a snapshot exists with the size in the manifest.
 *
 * @throws SnapshotError with the first file that is missing or truncated
 */
export async function checkSizes(root: string, manifest: Manifest): Promise<void> {
  for (const file of storedFiles(manifest)) refuse(root, sizeProblem(root, file));
}

/**
 * Checks that files have the content in the manifest.
 *
 * @throws SnapshotError with the first file that is missing, unreadable or altered
 */
export async function checkHashes(root: string, files: readonly StoredFile[]): Promise<void> {
  refuse(root, (await hashProblems(root, files))[0]);
}

/** The small files of a snapshot that are read completely: the files of tables that are not stored by site. */
export function smallFiles({ files }: Manifest): readonly StoredFile[] {
  return storedFiles({ files: files.filter(({ resource }) => !schemaOf(resource).bySite) });
}

/** Every file that is missing, truncated, altered or unreadable. */
export async function findDamage(root: string, files: readonly StoredFile[]): Promise<readonly FileDamage[]> {
  const damage: FileDamage[] = [];
  const whole: StoredFile[] = [];
  for (const file of files) {
    const problem = sizeProblem(root, file);
    if (problem) damage.push(problem);
    else whole.push(file);
  }
  return [...damage, ...(await hashProblems(root, whole))];
}

function sizeProblem(root: string, file: StoredFile): FileDamage | undefined {
  const bytes = fileBytes(root, file.path);
  if (bytes === undefined) return { file, problem: "is missing" };
  if (bytes === file.bytes) return undefined;
  return { file, problem: `has ${bytes} bytes instead of ${file.bytes}` };
}

async function hashProblems(root: string, files: readonly StoredFile[]): Promise<FileDamage[]> {
  const paths = files.map(({ path }) => join(root, path));
  const isSmall = files.reduce((sum, { bytes }) => sum + bytes, 0) <= SMALL_BYTES;
  const hashes = isSmall ? await hashHere(paths) : await hashFiles(paths);
  const damage: FileDamage[] = [];
  for (const [index, file] of files.entries()) {
    if (hashes[index] === file.sha256) continue;
    const problem = await contentProblem(root, file);
    if (problem !== undefined) damage.push({ file, problem });
  }
  return damage;
}

async function hashHere(paths: readonly string[]): Promise<(string | undefined)[]> {
  const hashes: (string | undefined)[] = [];
  for (const path of paths) hashes.push(await hashFile(path).catch(() => undefined));
  return hashes;
}

/** Reads a file with a wrong hash again, to find the reason. */
async function contentProblem(root: string, { path, sha256 }: StoredFile): Promise<string | undefined> {
  try {
    if ((await hashFile(join(root, path))) === sha256) return undefined;
    return "was altered: its sha256 differs from the manifest";
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === "ENOENT";
    return isMissing ? "is missing" : `cannot be read: ${(error as Error).message}`;
  }
}

function refuse(root: string, damage: FileDamage | undefined): void {
  if (damage) throw damagedFile(join(root, damage.file.path), damage.problem);
}

/**
 * Returns the error for a damaged file of a snapshot.
 *
 * @param path of the file
 * @param problem text after the file name: `is missing`
 */
export function damagedFile(path: string, problem: string, cause?: unknown): SnapshotError {
  return new SnapshotError(`${path} ${problem}.`, {
    cause,
    hint: "Run siteframe verify to find all damaged files, then restore the snapshot from a backup or write it again.",
    facts: { path },
  });
}
