import { mkdir, readdir, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { COLUMNS, GENERATIONS, type Manifest, storedFiles } from "../format/manifest.js";
import { PART, refuseOutside } from "../format/own-paths.js";
import { tableFolders } from "../format/table-folders.js";
import { listGenerations } from "./list-generations.js";

/**
 * Puts the files of a snapshot folder where they belong: those of the present state into the tables' folders, those
 * that only earlier states have below `generations/`; what no state has is removed. Files and folders of other names
 * than a snapshot gives are left alone. It can be stopped anywhere and done again.
 *
 * @throws SnapshotError if there is a link among them: what it leads to is not touched
 */
export async function tidyFolder(root: string): Promise<void> {
  const generations = await listGenerations(root);
  const present = filesOf(generations.slice(-1));
  const earlier = filesOf(generations.slice(0, -1));
  for (const name of [...tableFolders, COLUMNS]) {
    for (const path of await tableFiles(root, name)) {
      if (present.has(path)) continue;
      if (earlier.has(path)) await move(root, path, `${GENERATIONS}/${path}`);
      else await remove(root, path);
    }
    for (const moved of await tableFiles(root, `${GENERATIONS}/${name}`)) {
      const path = moved.slice(GENERATIONS.length + 1);
      if (present.has(path)) await move(root, moved, path);
      else if (!earlier.has(path)) await remove(root, moved);
    }
  }
}

function filesOf(generations: readonly Manifest[]): ReadonlySet<string> {
  return new Set(generations.flatMap((manifest) => storedFiles(manifest).map(({ path }) => path)));
}

async function remove(root: string, path: string): Promise<void> {
  refuseOutside(root, path);
  await rm(join(root, path), { force: true });
}

async function move(root: string, from: string, to: string): Promise<void> {
  refuseOutside(root, from);
  refuseOutside(root, to);
  await mkdir(dirname(join(root, to)), { recursive: true });
  await rename(join(root, from), join(root, to));
}

/** Paths of the files of a table below its folder, with `/`. */
async function tableFiles(root: string, folder: string): Promise<readonly string[]> {
  const place = join(root, folder);
  const entries = await readdir(place, { withFileTypes: true }).catch(() => []);
  const paths = entries.filter(({ name }) => PART.test(name)).map(({ name }) => `${folder}/${name}`);
  for (const entry of entries) {
    const isInner = folder === COLUMNS || folder === `${GENERATIONS}/${COLUMNS}` || entry.name.startsWith("site_id=");
    if (isInner && entry.isDirectory()) paths.push(...(await tableFiles(root, `${folder}/${entry.name}`)));
  }
  return paths;
}
