import { statSync } from "node:fs";

/** Differs when a file has changed; `undefined` if there is none. */
export function fileVersion(path: string): string | undefined {
  const facts = statSync(path, { throwIfNoEntry: false });
  return facts && `${facts.mtimeMs} ${facts.size} ${facts.ino}`;
}
