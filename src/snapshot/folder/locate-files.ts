import type { Manifest, SnapshotFile } from "../format/manifest.js";
import { movedPath } from "../format/moved-path.js";
import { fileBytes } from "../format/own-paths.js";

/**
 * The manifest with the paths at which its files stand now. A pull moves the files that only earlier states have
 * below `generations/`, so that a table's folder holds the present state and nothing else.
 *
 * @throws SnapshotError if a file is a link, or is reached through one
 */
export function locateFiles(root: string, manifest: Manifest): Manifest {
  const located = (files: readonly SnapshotFile[]) =>
    files.map(({ columns, ...file }) => ({
      ...file,
      path: locate(root, file.path),
      ...(columns ? { columns: { ...columns, path: locate(root, columns.path) } } : {}),
    }));
  return { ...manifest, files: located(manifest.files), gone_files: located(manifest.gone_files ?? []) };
}

function locate(root: string, path: string): string {
  if (fileBytes(root, path) !== undefined) return path;
  const moved = movedPath(path);
  // A file that is at neither place is reported at the one where it belongs.
  return fileBytes(root, moved) === undefined ? path : moved;
}
