import { join } from "node:path";
import { packageFolder } from "../../core/package-folder.js";
import { engineFlags } from "../engine/cell/engine-flags.js";
import { type EngineName, engineNames } from "../engine/cell/engine-name.js";
import { languageName } from "./language-info.js";

/** What Jupyter reads of a kernel before it starts it. */
export function kernelSpec(displayName: string, engine: EngineName): object {
  // Always the built program, also when this file runs from source under a test.
  const program = join(packageFolder, "dist", "kernel", "kernel-main.js");
  const chosen = engine === engineNames[0] ? [] : ["--engine", engine];
  return {
    argv: [process.execPath, ...engineFlags, program, "{connection_file}", ...chosen],
    display_name: displayName,
    language: languageName,
    // A signal would do as well, but not on Windows.
    interrupt_mode: "message",
    metadata: { debugger: true },
  };
}
