import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  export interface ProvidedContext {
    /** Folder of the pages that `siteframe demo` writes. The first test that needs them runs the command. */
    demoFolder: string;
  }
}

/** Provides one demo for all test files of a run. `SITEFRAME_TEST_DEMO` is a folder written by `npm start`. */
export default function sharedDemo(project: TestProject): (() => void) | undefined {
  const made = process.env["SITEFRAME_TEST_DEMO"];
  if (made !== undefined) {
    project.provide("demoFolder", resolve(made));
    return undefined;
  }
  const folder = mkdtempSync(join(tmpdir(), "siteframe-demo-"));
  project.provide("demoFolder", folder);
  return () => rmSync(folder, { recursive: true, force: true });
}
