import { mkdir, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import type { Command } from "commander";
import { NotebookRunError } from "../notebook/notebook-error.js";
import { toHtml } from "../notebook/page/to-html.js";
import { runNotebook } from "../notebook/run-notebook.js";
import { writeNotebook } from "../notebook/write-notebook.js";
import { integerOption } from "./integer-option.js";
import { parseParameters } from "./parse-parameters.js";

interface RunOptions {
  readonly out?: string;
  readonly html?: string;
  readonly parameter?: readonly string[];
  readonly timeout?: number;
}

/** `siteframe run`: executes a notebook without Python. */
export function addRunCommand(program: Command): void {
  program
    .command("run")
    .description("Execute a notebook from top to bottom, without Python. Exits with 1 if a cell fails.")
    .argument("<notebook>", "notebook to run (.ipynb)")
    .option("--out <file>", "write the executed notebook here")
    .option("--html <file>", "write a page here that stands alone")
    .option("-p, --parameter <name=value...>", "value for the notebook's parameters; JSON, else text")
    .option("--timeout <seconds>", "longest time for one cell", integerOption(1, 86_400))
    .action(run);
}

async function run(path: string, options: RunOptions): Promise<void> {
  const parameters = parseParameters(options.parameter ?? []);
  const started = Date.now();
  try {
    const notebook = await runNotebook(path, {
      parameters,
      ...(options.timeout === undefined ? {} : { timeoutMs: options.timeout * 1000 }),
    });
    await save(notebook, options, Date.now() - started, "ok");
  } catch (error) {
    if (error instanceof NotebookRunError) {
      await save(error.notebook, options, Date.now() - started, "failed");
      process.stderr.write(`${error.excerpt.join("\n")}\n`);
    }
    throw error;
  }
}

async function save(
  notebook: Parameters<typeof writeNotebook>[0],
  { out, html }: RunOptions,
  durationMs: number,
  status: "ok" | "failed",
): Promise<void> {
  if (out !== undefined) {
    await mkdir(dirname(out), { recursive: true });
    await writeNotebook(notebook, out);
  }
  if (html !== undefined) {
    await mkdir(dirname(html), { recursive: true });
    await writeFile(html, toHtml(notebook, { status, durationMs }));
  }
}
