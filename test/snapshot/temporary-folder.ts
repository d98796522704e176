import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";

/** A folder that is removed when the tests of the file are over. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "siteframe-test-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A function that returns a new path in a folder for each call. */
export function temporaryPaths(folder = temporaryFolder()): (name?: string) => string {
  let count = 0;
  return (name = "path") => join(folder, `${++count}-${name}`);
}
