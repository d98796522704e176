import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { notebookText } from "./notebook-text.js";
import type { Python } from "./python.js";
import { type Lab, startLab } from "./start-lab.js";

/** Options of a JupyterLab. */
export interface LabOptions {
  /** Code cells by notebook name. */
  readonly notebooks: Readonly<Record<string, readonly string[]>>;
  readonly env?: NodeJS.ProcessEnv;
  /** Disabled extensions. */
  readonly without?: readonly string[];
}

/** Starts a JupyterLab with new notebooks. */
export async function labOfNotebooks({ program, env }: Python, options: LabOptions): Promise<Lab> {
  const folder = mkdtempSync(join(tmpdir(), "siteframe-lab-"));
  for (const [name, cells] of Object.entries(options.notebooks)) {
    writeFileSync(join(folder, `${name}.ipynb`), notebookText(cells.map((source) => ({ source }))));
  }
  const config = join(folder, ".config");
  mkdirSync(join(config, "labconfig"), { recursive: true });
  const disabledExtensions = Object.fromEntries((options.without ?? []).map((name) => [name, true]));
  writeFileSync(join(config, "labconfig", "page_config.json"), JSON.stringify({ disabledExtensions }));
  const lab = await startLab({ program, env: { ...env, ...options.env, JUPYTER_CONFIG_DIR: config } }, folder);
  const stop = async () => {
    await lab.stop();
    // Kernels may still write files.
    rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
  };
  return { url: lab.url, stop };
}
