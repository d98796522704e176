import { GENERATIONS } from "./manifest.js";

/**
 * Where a file of a state may stand instead of where it was: a pull moves files that only earlier states have below
 * `generations/`, and back if a state has them again.
 */
export function movedPath(path: string): string {
  return path.startsWith(`${GENERATIONS}/`) ? path.slice(GENERATIONS.length + 1) : `${GENERATIONS}/${path}`;
}
