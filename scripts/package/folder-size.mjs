import { lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";

/**
 * Returns the size of the files in a folder, in megabytes.
 *
 * @param {string} folder
 * @returns {number}
 */
export function folderSize(folder) {
  const paths = readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) => join(folder, name));
  const files = paths.map((path) => lstatSync(path)).filter((found) => found.isFile());
  return files.reduce((sum, { size }) => sum + size, 0) / 1e6;
}
