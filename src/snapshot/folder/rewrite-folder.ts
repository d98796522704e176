import { readdir, rm } from "node:fs/promises";
import { join, relative } from "node:path";
import { REMOVE_FOLDER } from "../../core/busy-files.js";
import { SnapshotError } from "../../core/errors.js";
import { FILES, GENERATIONS, type Manifest, PULL_FOLDER } from "../format/manifest.js";
import { generationOf, isOwn, isStoredPath } from "../format/own-paths.js";
import { keepLake, removeGeneration, removeUnlisted } from "./prune-generations.js";
import { listGenerations, readManifest } from "./read-generation.js";
import { saveManifest } from "./save-manifest.js";

/** Foreign files that an error names. */
const NAMED = 5;

/**
 * Prepares a folder for a state whose person data is stored as `pseudonyms` says, so that a folder never has persons in one
 * generation and pseudonyms in another. A rewrite that was stopped after its state was published is completed. The
 * folder's lock is held.
 *
 * @param pseudonyms the key of the new state's pseudonyms; undefined if it has person data
 * @param mayRewrite whether the folder may be rewritten
 * @returns whether the new state must replace everything that the folder holds
 * @throws SnapshotError if it must and may not, or if other files in the folder could have person data
 */
export async function prepareRewrite(
  root: string,
  previous: Manifest | undefined,
  pseudonyms: string | undefined,
  mayRewrite: boolean,
): Promise<boolean> {
  if (!previous) return false;
  const held = new Set((await listGenerations(root)).map((state) => state.pseudonyms));
  if (previous.pseudonyms === pseudonyms && (held.size === 1 || previous.rewriting)) {
    if (previous.rewriting) await finishRewrite(root);
    return false;
  }
  if (!mayRewrite) throw mixError(root, previous, held, pseudonyms);
  if (pseudonyms !== undefined) await refuseForeign(root);
  // From now on files with person data may be in a folder that had none.
  if (previous.pseudonyms !== undefined) await saveManifest(root, { ...previous, rewriting: true });
  return true;
}

/**
 * Removes everything that the present state, which was published as `rewriting`, replaces. Only then its manifest vouches for
 * the whole folder. It can be stopped anywhere and done again.
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
  held: ReadonlySet<string | undefined>,
  wanted: string | undefined,
): SnapshotError {
  const [problem, fix] = describeMix(present, held, wanted);
  return new SnapshotError(`pull(): ${root} holds ${problem}.`, {
    hint:
      `${fix}, pull into another folder, or rewrite this one (rewrite, --rewrite). A rewrite reads all records again and ` +
      "removes earlier generations and features that are gone.",
    facts: { path: root },
  });
}

/** What the folder holds, and how to pull into it as it is. */
function describeMix(
  present: string | undefined,
  held: ReadonlySet<string | undefined>,
  wanted: string | undefined,
): readonly [problem: string, fix: string] {
  if (present === wanted)
    return ["earlier generations that are redacted otherwise", "Remove them (siteframe snapshot prune)"];
  if (present === undefined) return ["person data, and this pull would store pseudonyms", "Pull without redact"];
  if (wanted === undefined)
    return ["pseudonyms, and this pull would store person data", "Pull with redact (redact, --redact)"];
  const other = held.size > 1 ? "pseudonyms of several keys" : "pseudonyms of another key or address of the service";
  return [other, "Set SITEFRAME_PSEUDONYM_KEY to the key that they were made with"];
}

/**
 * Refuses a folder with files that are not the snapshot's: their content is unknown, and they are not ours to remove.
 *
 * @throws SnapshotError naming some of them
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
  throw new SnapshotError(
    `pull(): ${root} holds files that are not the snapshot's: ${foreign.slice(0, NAMED).join(", ")}${more}.`,
    {
      hint: "Move them to another folder: they could contain person data, and a rewrite removes only files of the snapshot.",
      facts: { path: root, foreign },
    },
  );
}
