import { readdir, rm } from "node:fs/promises";
import { join, relative } from "node:path";
import { REMOVE_FOLDER } from "../../core/busy-files.js";
import { SnapshotError } from "../../core/errors.js";
import { FILES, GENERATIONS, type Manifest, PULL_FOLDER } from "../format/manifest.js";
import { generationOf, isOwn, isStoredPath } from "../format/snapshot-paths.js";
import { listGenerations, readManifest, saveManifest } from "./manifest-file.js";
import { keepLake, removeGeneration, removeUnlisted } from "./prune-generations.js";

/** Maximum count of foreign files in an error. */
const NAMED = 5;

/**
 * Prepares a folder for a generation whose person data is stored as `pseudonyms` requires, so that a folder never has
 * persons in one generation and pseudonyms in another. Completes a rewrite that was stopped after its generation was
 * published. Requires the folder's lock.
 *
 * @param pseudonyms key id of the new generation's pseudonyms; undefined for person data
 * @param mayRewrite whether the folder may be rewritten
 * @returns whether the new generation must replace the whole content of the folder
 * @throws SnapshotError if a rewrite is required and not allowed, or if other files in the folder could contain person
 * data
 */
export async function prepareRewrite(
  root: string,
  previous: Manifest | undefined,
  pseudonyms: string | undefined,
  mayRewrite: boolean,
): Promise<boolean> {
  if (!previous) return false;
  const tags = new Set((await listGenerations(root)).map((state) => state.pseudonyms));
  if (previous.pseudonyms === pseudonyms && (tags.size === 1 || previous.rewriting)) {
    if (previous.rewriting) await finishRewrite(root);
    return false;
  }
  if (!mayRewrite) throw mixError(root, previous, tags, pseudonyms);
  if (pseudonyms !== undefined) await refuseForeign(root);
  // From here on, the folder may have files with person data that it did not have before.
  if (previous.pseudonyms !== undefined) await saveManifest(root, { ...previous, rewriting: true });
  return true;
}

/**
 * Removes everything that the current generation, published as `rewriting`, replaces. After that, its manifest covers
 * the whole folder. It can be stopped at any time and repeated.
 */
export async function finishRewrite(root: string): Promise<void> {
  const { rewriting: _, ...present } = await readManifest(root);
  const earlier = (await listGenerations(root)).slice(0, -1);
  const alike = earlier.filter((state) => state.pseudonyms === present.pseudonyms);
  const kept = new Set(alike.map(({ generation }) => generation));
  for (const name of await readdir(join(root, GENERATIONS)).catch(() => [])) {
    const generation = generationOf(name);
    if (generation !== undefined && !kept.has(generation)) await removeGeneration(root, generation);
  }
  await keepLake(root);
  await removeUnlisted(root);
  await rm(join(root, PULL_FOLDER), REMOVE_FOLDER);
  await saveManifest(root, present);
}

function mixError(
  root: string,
  { pseudonyms: present }: Manifest,
  tags: ReadonlySet<string | undefined>,
  requested: string | undefined,
): SnapshotError {
  const [problem, fix] = describeMix(present, tags, requested);
  return new SnapshotError(`pull(): ${root} contains ${problem}.`, {
    hint:
      `${fix}, pull into another folder, or rewrite this one (rewrite, --rewrite). A rewrite reads all records again and ` +
      "removes earlier generations and gone features.",
    facts: { path: root },
  });
}

/** The folder's content, and the way to pull into it unchanged. */
function describeMix(
  present: string | undefined,
  tags: ReadonlySet<string | undefined>,
  requested: string | undefined,
): readonly [problem: string, fix: string] {
  if (present === requested)
    return ["earlier generations with different redaction", "Remove them (siteframe snapshot prune)"];
  if (present === undefined) return ["person data, but this pull stores pseudonyms", "Pull without redact"];
  if (requested === undefined)
    return ["pseudonyms, but this pull stores person data", "Pull with redact (redact, --redact)"];
  const other = tags.size > 1 ? "pseudonyms of several keys" : "pseudonyms of a different key or service address";
  return [other, "Set SITEFRAME_PSEUDONYM_KEY to their key"];
}

/**
 * Rejects a folder with foreign files, since their content is unknown and Siteframe must not remove them.
 *
 * @throws SnapshotError with some of the files
 */
async function refuseForeign(root: string): Promise<void> {
  const beside = (await readdir(root)).filter((name) => !isOwn(name));
  const generations = (await readdir(join(root, GENERATIONS)).catch(() => []))
    .filter((name) => generationOf(name) === undefined)
    .map((name) => `${GENERATIONS}/${name}`);
  const files = (await readdir(join(root, FILES), { recursive: true, withFileTypes: true }).catch(() => []))
    .filter((entry) => !entry.isDirectory())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).replaceAll("\\", "/"))
    .filter((path) => !isStoredPath(path));
  const foreign = [...beside, ...generations, ...files];
  if (foreign.length === 0) return;
  const more = foreign.length > NAMED ? `, … (${foreign.length} in total)` : "";
  throw new SnapshotError(`pull(): ${root} contains foreign files: ${foreign.slice(0, NAMED).join(", ")}${more}.`, {
    hint: "Move them to another folder: they could contain person data, and a rewrite only removes files of the snapshot.",
    facts: { path: root, foreign },
  });
}
