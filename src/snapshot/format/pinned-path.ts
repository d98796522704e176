import { join } from "node:path";
import { GENERATIONS } from "./manifest.js";

/** The folder in which the tables of one state stand until it is pruned, within the snapshot's. */
export function pinnedFolder(generation: number): string {
  return `${GENERATIONS}/${String(generation).padStart(6, "0")}`;
}

/** Where it is. */
export function pinnedPath(root: string, generation: number): string {
  return join(root, pinnedFolder(generation));
}
