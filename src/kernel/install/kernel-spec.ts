import { join } from "node:path";
import { packageFolder } from "../../core/package-folder.js";
import { engineFlags } from "../engine/cell/engine-flags.js";
import { languageInfo } from "./language-info.js";

/** What Jupyter reads of a kernel before it starts it. */
export function kernelSpec(displayName: string): object {
  // Always the built program, also when this file runs from source under a test.
  const program = join(packageFolder, "dist", "kernel", "kernel-main.js");
  return {
    argv: [process.execPath, ...engineFlags, program, "{connection_file}"],
    display_name: displayName,
    language: languageInfo.name,
    // A signal would do as well, but not on Windows.
    interrupt_mode: "message",
    metadata: { debugger: false },
  };
}
