import { mkdir, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { Command } from "commander";
import { ArgumentError } from "../core/errors.js";
import { compareOutputs } from "../notebook/compare-outputs.js";
import type { Notebook } from "../notebook/notebook.js";
import { NotebookRunError } from "../notebook/notebook-error.js";
import { toHtml } from "../notebook/page/to-html.js";
import { readNotebook } from "../notebook/read-notebook.js";
import { runNotebook } from "../notebook/run-notebook.js";
import { writeNotebook } from "../notebook/write-notebook.js";
import { integerOption } from "./integer-option.js";
import { parseParameters } from "./parse-parameters.js";
import { reportError } from "./report-error.js";

interface RunOptions {
  readonly out?: string;
  readonly html?: string;
  readonly parameter?: readonly string[];
  readonly timeout?: number;
  readonly check?: boolean;
}

/** `siteframe run`: executes notebooks without Python. */
export function addRunCommand(program: Command): void {
  program
    .command("run")
    .description("Execute notebooks from top to bottom, without Python. Exits with 1 if a cell fails.")
    .argument("<notebook...>", "notebooks to run (.ipynb)")
    .option("--out <file>", "write the executed notebook here; with several notebooks, a folder")
    .option("--html <file>", "write a page here that stands alone; with several notebooks, a folder")
    .option("-p, --parameter <name=value...>", "value for the notebook's parameters; JSON, else text")
    .option("--timeout <seconds>", "longest time for one cell", integerOption(1, 86_400))
    .option("--check", "fail if the outputs are not those stored in the notebook")
    .action(run);
}

/** One notebook that fails does not keep the others from running. */
async function run(paths: readonly string[], options: RunOptions): Promise<void> {
  const [path] = paths;
  if (paths.length === 1 && path !== undefined) return runOne(path, options);
  const failed: string[] = [];
  for (const each of paths) {
    try {
      await runOne(each, { ...options, ...filesOf(each, options) });
      process.stderr.write(`${each}: ok\n`);
    } catch (error) {
      failed.push(each);
      process.stderr.write(`${reportError(error, false)}\n`);
    }
  }
  if (failed.length > 0) {
    throw new ArgumentError(`${failed.length} of ${paths.length} notebooks failed: ${failed.join(", ")}.`);
  }
}

function filesOf(path: string, { out, html }: RunOptions): Pick<RunOptions, "out" | "html"> {
  const name = basename(path, ".ipynb");
  return {
    ...(out === undefined ? {} : { out: join(out, `${name}.ipynb`) }),
    ...(html === undefined ? {} : { html: join(html, `${name}.html`) }),
  };
}

async function runOne(path: string, options: RunOptions): Promise<void> {
  const parameters = parseParameters(options.parameter ?? []);
  const started = Date.now();
  try {
    const notebook = await runNotebook(path, {
      parameters,
      ...(options.timeout === undefined ? {} : { timeoutMs: options.timeout * 1000 }),
    });
    await save(notebook, options, Date.now() - started, "ok");
    if (options.check) checkOutputs(path, await readNotebook(path), notebook);
  } catch (error) {
    if (error instanceof NotebookRunError) {
      await save(error.notebook, options, Date.now() - started, "failed");
      process.stderr.write(`${error.excerpt.join("\n")}\n`);
    }
    throw error;
  }
}

function checkOutputs(path: string, stored: Notebook, executed: Notebook): void {
  const differences = compareOutputs(stored, executed);
  const [first] = differences;
  if (!first) return;
  for (const { cellIndex, stored: before, now } of differences) {
    process.stderr.write(`${path}: cell ${cellIndex + 1}\n--- stored\n${before}\n+++ now\n${now}\n`);
  }
  throw new ArgumentError(`${path}: the outputs of ${differences.length} cells are not those that were stored.`, {
    hint: `If the new ones are right, store them with --out ${path}.`,
  });
}

async function save(
  notebook: Notebook,
  { out, html }: RunOptions,
  durationMs: number,
  status: "ok" | "failed",
): Promise<void> {
  if (out !== undefined) await writeNotebook(notebook, out);
  if (html !== undefined) {
    await mkdir(dirname(html), { recursive: true });
    await writeFile(html, toHtml(notebook, { status, durationMs }));
  }
}
