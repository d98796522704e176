import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { inject } from "vitest";

/** Returns the folder of the demo's pages, which all test files of a run share. Do not write to it. */
export async function demoPages(): Promise<string> {
  const folder = inject("demoFolder");
  if (!existsSync(join(folder, "index.html"))) {
    const program = join(import.meta.dirname, "../../dist/cli/main.js");
    await promisify(execFile)(process.execPath, [program, "demo", "--out", folder], { maxBuffer: 1e8 });
  }
  return folder;
}
