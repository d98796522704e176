import { statSync } from "node:fs";
import { dirname } from "node:path";
import type { LocalFile } from "./language-engine.js";

/** Differs when a file has changed; `undefined` if there is none. */
export function fileVersion(path: string): string | undefined {
  const facts = statSync(path, { throwIfNoEntry: false });
  return facts && `${facts.mtimeMs} ${facts.size} ${facts.ino}`;
}

/** A file as those who run it take it; `undefined` for declarations, whose code is left to Node. */
export function localFile(path: string): LocalFile | undefined {
  if (/\.d\.[cm]?ts$/.test(path)) return undefined;
  const kind = /\.([cm]?ts|tsx)$/.test(path) ? "typescript" : path.endsWith(".json") ? "json" : "javascript";
  return { path, kind };
}

/** A folder and all above it, the innermost first. */
export function ancestors(folder: string): readonly string[] {
  const parent = dirname(folder);
  return parent === folder ? [folder] : [folder, ...ancestors(parent)];
}
