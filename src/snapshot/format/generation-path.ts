import { join } from "node:path";
import { GENERATIONS } from "./manifest.js";

/** Where the manifest of an earlier state stands. */
export function generationPath(root: string, generation: number): string {
  return join(root, GENERATIONS, `${String(generation).padStart(6, "0")}.json`);
}
