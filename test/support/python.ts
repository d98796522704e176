import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { installKernel } from "../../src/kernel/install/install-kernel.js";
import { testedEngine } from "./tested-engine.js";

/** A Python with Jupyter, and the environment with the kernel of this repository. */
export interface Python {
  readonly program: string;
  readonly env: NodeJS.ProcessEnv;
}

/**
 * Returns the Python that `.ci/run` or `.ci/full` installed. Returns undefined and prints the reason if it is missing.
 *
 * @param module required modules, separated by commas
 * @throws if `SITEFRAME_REQUIRE_ALL` is set and the modules are missing
 */
export function findPython(module: string): Python | undefined {
  if (process.env["SITEFRAME_TEST_NODE_ONLY"]) {
    process.stderr.write(`skipped: needs Python with ${module}. Run .ci/full python\n`);
    return undefined;
  }
  const program = join(import.meta.dirname, "../../.venv/bin/python");
  try {
    if (existsSync(program)) {
      execFileSync(program, ["-c", `import ${module}`], { stdio: "ignore" });
      return { program, env: environment() };
    }
  } catch {
    // The module is missing.
  }
  const reason = `.venv has no Python with ${module}. Run .ci/run install, or .ci/full python`;
  if (process.env["SITEFRAME_REQUIRE_ALL"]) throw new Error(reason);
  process.stderr.write(`skipped: ${reason}\n`);
  return undefined;
}

function environment(): NodeJS.ProcessEnv {
  const prefix = mkdtempSync(join(tmpdir(), "siteframe-jupyter-"));
  installKernel({ place: { type: "prefix", prefix }, engine: testedEngine });
  const folder = join(prefix, "share", "jupyter");
  return {
    ...process.env,
    JUPYTER_PATH: folder,
    JUPYTER_DATA_DIR: folder,
    JUPYTER_CONFIG_DIR: join(prefix, "config"),
    JUPYTER_RUNTIME_DIR: join(prefix, "runtime"),
    SITEFRAME_HISTORY: join(prefix, "history"),
    PYTHONWARNINGS: "ignore",
  };
}
