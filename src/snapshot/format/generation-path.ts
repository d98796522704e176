import { pinnedPath } from "./pinned-path.js";

/** Where the manifest of an earlier state stands. */
export function generationPath(root: string, generation: number): string {
  return `${pinnedPath(root, generation)}.json`;
}
