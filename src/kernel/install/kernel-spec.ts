import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { engineFlags } from "../engine/cell/engine-flags.js";
import { languageInfo } from "./language-info.js";

/** What Jupyter reads of a kernel before it starts it. */
export function kernelSpec(displayName: string): object {
  // Always the built program, also when this file runs from source under a test.
  const root = dirname(createRequire(import.meta.url).resolve("siteframe/package.json"));
  const program = join(root, "dist", "kernel", "kernel-main.js");
  return {
    argv: [process.execPath, ...engineFlags, program, "{connection_file}"],
    display_name: displayName,
    language: languageInfo.name,
    // A signal would do as well, but not on Windows.
    interrupt_mode: "message",
    metadata: { debugger: false },
  };
}
