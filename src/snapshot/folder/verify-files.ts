import { join } from "node:path";
import { damagedFile } from "../format/damaged-file.js";
import { hashFile, hashFiles } from "../format/hash-files.js";
import { type Manifest, type StoredFile, storedFiles } from "../format/manifest.js";
import { fileBytes } from "../format/own-paths.js";
import { schemaOf } from "../format/table-schema.js";

/** What is wrong with a file of a snapshot. */
export interface FileDamage {
  readonly file: StoredFile;
  /** After the file's name: `is missing`. */
  readonly problem: string;
}

/** A thread of its own takes longer to start than so many bytes take to be hashed. */
const SMALL_BYTES = 16 << 20;

/**
 * Checks that every file of a snapshot is there with the size that the manifest says.
 *
 * @throws SnapshotError naming the first file that is missing or truncated
 */
export async function checkSizes(root: string, manifest: Manifest): Promise<void> {
  for (const file of storedFiles(manifest)) refuse(root, sizeProblem(root, file));
}

/**
 * Checks that files have the content that the manifest vouches for.
 *
 * @throws SnapshotError naming the first file that is missing, cannot be read or was altered
 */
export async function checkHashes(root: string, files: readonly StoredFile[]): Promise<void> {
  refuse(root, (await hashProblems(root, files))[0]);
}

/** The files of a snapshot that are read whole and are small: those of the tables that are not kept by site. */
export function smallFiles({ files }: Manifest): readonly StoredFile[] {
  return storedFiles({ files: files.filter(({ resource }) => !schemaOf(resource).bySite) });
}

/** Every file that is missing, truncated or altered, or cannot be read. */
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
  const found = fileBytes(root, file.path);
  if (found === undefined) return { file, problem: "is missing" };
  if (found === file.bytes) return undefined;
  return { file, problem: `has ${found} bytes instead of ${file.bytes}` };
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

/** Reads a file whose hash is wrong again, to find out why. */
async function contentProblem(root: string, { path, sha256 }: StoredFile): Promise<string | undefined> {
  try {
    if ((await hashFile(join(root, path))) === sha256) return undefined;
    return "was altered: its sha256 is not the manifest's";
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === "ENOENT";
    return isMissing ? "is missing" : `cannot be read: ${(error as Error).message}`;
  }
}

function refuse(root: string, damage: FileDamage | undefined): void {
  if (damage) throw damagedFile(join(root, damage.file.path), damage.problem);
}
