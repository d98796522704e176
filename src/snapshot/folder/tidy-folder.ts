import { mkdir, readdir, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { COLUMNS, GENERATIONS, GONE_FEATURES, type Manifest, storedFiles } from "../format/manifest.js";
import { tableSchemas } from "../format/table-schema.js";
import { listGenerations } from "./list-generations.js";

/**
 * Puts the files of a snapshot folder where they belong: those of the present state into the tables' folders, those
 * that only earlier states have below `generations/`; what no state has is removed. It can be stopped anywhere and
 * done again.
 */
export async function tidyFolder(root: string): Promise<void> {
  const generations = await listGenerations(root);
  const present = filesOf(generations.slice(-1));
  const earlier = filesOf(generations.slice(0, -1));
  for (const name of [...tableSchemas.map((schema) => schema.name), GONE_FEATURES, COLUMNS]) {
    for (const path of await tableFiles(root, name)) {
      if (present.has(path)) continue;
      if (earlier.has(path)) await move(root, path, `${GENERATIONS}/${path}`);
      else await rm(join(root, path), { force: true });
    }
    for (const moved of await tableFiles(root, `${GENERATIONS}/${name}`)) {
      const path = moved.slice(GENERATIONS.length + 1);
      if (present.has(path)) await move(root, moved, path);
      else if (!earlier.has(path)) await rm(join(root, moved), { force: true });
    }
  }
}

function filesOf(generations: readonly Manifest[]): ReadonlySet<string> {
  return new Set(generations.flatMap((manifest) => storedFiles(manifest).map(({ path }) => path)));
}

async function move(root: string, from: string, to: string): Promise<void> {
  await mkdir(dirname(join(root, to)), { recursive: true });
  await rename(join(root, from), join(root, to));
}

/** Paths of the files of tables below a folder, with `/`. */
async function tableFiles(root: string, folder: string): Promise<readonly string[]> {
  const entries = await readdir(join(root, folder), { recursive: true }).catch(() => []);
  return entries
    .filter((name) => /\.(parquet|columns)$/.test(name))
    .map((name) => `${folder}/${name.replaceAll("\\", "/")}`);
}
