import { statSync } from "node:fs";
import { dirname } from "node:path";
import type { LocalFile } from "./language-engine.js";

/** Differs after a file changes; `undefined` if the file is missing. */
export function fileVersion(path: string): string | undefined {
  const facts = statSync(path, { throwIfNoEntry: false });
  return facts && `${facts.mtimeMs} ${facts.size} ${facts.ino}`;
}

/** A file for the module loader; `undefined` for declaration files, which Node handles. */
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
