import { mkdir, readdir, realpath, rename, rm } from "node:fs/promises";
import { dirname, join, sep } from "node:path";
import { COLUMNS, GENERATIONS, type Manifest, storedFiles } from "../format/manifest.js";
import { tableFolders } from "../format/table-folders.js";
import { listGenerations } from "./list-generations.js";

/**
 * Puts the files of a snapshot folder where they belong: those of the present state into the tables' folders, those
 * that only earlier states have below `generations/`; what no state has is removed. Files and folders of other names
 * than a snapshot gives are left alone. It can be stopped anywhere and done again.
 */
export async function tidyFolder(root: string): Promise<void> {
  const generations = await listGenerations(root);
  const present = filesOf(generations.slice(-1));
  const earlier = filesOf(generations.slice(0, -1));
  for (const name of [...tableFolders, COLUMNS]) {
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

/** What a snapshot calls the files of tables. Others are somebody else's, and left alone. */
const FILE = /^part-[0-9a-f]{16}\.(?:parquet|columns)$/;

/** Paths of the files of a table below its folder, with `/`. */
async function tableFiles(root: string, folder: string): Promise<readonly string[]> {
  const place = join(root, folder);
  const entries = await readdir(place, { withFileTypes: true }).catch(() => []);
  const paths = entries.filter(({ name }) => FILE.test(name)).map(({ name }) => `${folder}/${name}`);
  for (const entry of entries) {
    const inner = join(place, entry.name);
    const isInner = folder === COLUMNS || folder === `${GENERATIONS}/${COLUMNS}` || entry.name.startsWith("site_id=");
    if (!isInner || (entry.isSymbolicLink() && (await leadsInto(inner, place)))) continue;
    if (!entry.isFile()) paths.push(...(await tableFiles(root, `${folder}/${entry.name}`)));
  }
  return paths;
}

/** Whether a link leads into a folder, whose files would then be met twice. */
async function leadsInto(link: string, folder: string): Promise<boolean> {
  const [target, real] = await Promise.all([realpath(link).catch(() => undefined), realpath(folder)]);
  return target !== undefined && (target === real || target.startsWith(`${real}${sep}`));
}
