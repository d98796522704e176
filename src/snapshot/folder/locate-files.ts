import { stat } from "node:fs/promises";
import { join } from "node:path";
import type { Manifest, SnapshotFile } from "../format/manifest.js";
import { movedPath } from "../format/moved-path.js";

/**
 * The manifest with the paths at which its files stand now. A pull moves the files that only earlier states have
 * below `generations/`, so that a table's folder holds the present state and nothing else.
 */
export async function locateFiles(root: string, manifest: Manifest): Promise<Manifest> {
  const located = async (files: readonly SnapshotFile[]) =>
    Promise.all(
      files.map(async ({ columns, ...file }) => ({
        ...file,
        path: await locate(root, file.path),
        ...(columns ? { columns: { ...columns, path: await locate(root, columns.path) } } : {}),
      })),
    );
  const [files, gone_files] = [await located(manifest.files), await located(manifest.gone_files ?? [])];
  return { ...manifest, files, gone_files };
}

async function locate(root: string, path: string): Promise<string> {
  if (await exists(join(root, path))) return path;
  const moved = movedPath(path);
  // A file that is at neither place is reported at the one where it belongs.
  return (await exists(join(root, moved))) ? moved : path;
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
