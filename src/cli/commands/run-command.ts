import { mkdir, stat, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { setFlagsFromString } from "node:v8";
import { type Command, Option } from "commander";
import { ArgumentError } from "../../core/errors.js";
import { engineName, engineNames } from "../../kernel/engine/cell/engine-name.js";
import { readFrontMatter, readLogo } from "../../notebook/file/front-matter.js";
import { injectParameters } from "../../notebook/file/inject-parameters.js";
import { type Notebook, NotebookRunError } from "../../notebook/file/notebook.js";
import { readNotebook } from "../../notebook/file/read-notebook.js";
import { writeNotebook } from "../../notebook/file/write-notebook.js";
import type { RunFacts } from "../../notebook/page/notebook-summary.js";
import type { PageMeta } from "../../notebook/page/to-html.js";
import { compareOutputs } from "../../notebook/run/compare-outputs.js";
import { runNotebook } from "../../notebook/run/run-notebook.js";
import { replaceFile } from "../../tables/export/replace-file.js";
import { checkParameters, integerOption, parseParameters } from "../input/parameters.js";
import { type RunTargets, runTargets } from "../input/run-targets.js";
import { reportError } from "../output/report-error.js";

interface RunOptions extends RunTargets {
  /** Of the program itself. */
  readonly debug?: boolean;
  readonly parameter?: readonly string[];
  readonly allowUnknown?: boolean;
  readonly timeout?: number;
  readonly engine?: string;
  readonly check?: boolean;
  /** False with `--no-code`. */
  readonly code: boolean;
  readonly paper?: string;
  readonly title?: string;
}

/** Sizes of paper, as CSS calls them. */
const papers = ["A4", "Letter"] as const;

/** `siteframe run`: executes notebooks without Python. */
export function addRunCommand(program: Command): void {
  program
    .command("run")
    .description("Execute notebooks from top to bottom, without Python. Exits with 1 if a cell fails.")
    .argument("<notebook...>", "notebooks to run (.ipynb)")
    .option("--out <file>", "write the executed notebook here; a folder with several notebooks")
    .option("--html <file>", "write a page here that stands alone; a folder with several notebooks")
    .option("--pdf <file>", "print the page here by your Chromium, Chrome or Edge; a folder with several notebooks")
    .addOption(new Option("--paper <size>", "paper of --pdf; by default what the browser takes").choices(papers))
    .option("--no-code", "pages for others: no code, no parameters, no addresses of data; none if a cell fails")
    .option("--title <text>", "title of the page; by default that of the front matter, or the first heading")
    .option("-p, --parameter <name=value...>", "value for the notebook's parameters; JSON, else text")
    .option("--allow-unknown", "run notebooks that have no such parameter, too, and only tell of it")
    .option("--timeout <seconds>", "longest time for one cell", integerOption(1, 86_400))
    .option("--engine <name>", `what understands the cells: ${engineNames.join(", ")}`, engineNames[0])
    .option("--check", "fail if the outputs are not those stored in the notebook")
    .action((paths: readonly string[], _options: object, command: Command) => run(paths, command.optsWithGlobals()));
}

/** One notebook that fails does not keep the others from running. */
async function run(paths: readonly string[], options: RunOptions): Promise<void> {
  optimiseLater();
  const targets = runTargets(paths, options);
  for (const unknown of await checkParameters(paths, Object.keys(parseParameters(options.parameter ?? [])))) {
    if (options.allowUnknown !== true) throw unknown;
    process.stderr.write(`${unknown.message}\n`);
  }
  const [path] = paths;
  if (paths.length === 1 && path !== undefined) return runOne(path, { ...options, ...targets[0] });
  const failed: string[] = [];
  for (const [index, each] of paths.entries()) {
    try {
      await runOne(each, { ...options, ...targets[index] });
      process.stderr.write(`${each}: ok\n`);
    } catch (error) {
      failed.push(each);
      process.stderr.write(`${reportError(error, options.debug === true)}\n`);
    }
  }
  if (failed.length > 0) {
    throw new ArgumentError(`${failed.length} of ${paths.length} notebooks failed: ${failed.join(", ")}.`);
  }
}

/** The last version of V8 that is known to have the flag. Of one that it does not know it complains. */
const versionWithFlag = 14;

/**
 * V8 makes the fastest code of whatever the renderer of pictures has run for a moment, which takes more of both cores than
 * the pictures of a notebook give back.
 */
function optimiseLater(): void {
  if (Number.parseInt(process.versions.v8, 10) <= versionWithFlag) {
    setFlagsFromString("--wasm-tiering-budget=1000000000");
  }
}

async function runOne(path: string, options: RunOptions): Promise<void> {
  const parameters = parseParameters(options.parameter ?? []);
  const stored = await readNotebook(path);
  const started = Date.now();
  try {
    const running = runNotebook(path, {
      parameters,
      engine: engineName(options.engine),
      ...(options.code ? {} : { env: { SITEFRAME_ORIGIN: "off" } }),
      ...(options.timeout === undefined ? {} : { timeoutMs: options.timeout * 1000 }),
    });
    // Loaded while the notebook runs.
    if (options.html !== undefined || options.pdf !== undefined) loadPages().catch(() => undefined);
    const notebook = await running;
    await save(path, notebook, options, { durationMs: Date.now() - started, status: "ok" });
    if (options.check) checkOutputs(path, injectParameters(stored, parameters), notebook);
  } catch (error) {
    if (error instanceof NotebookRunError) {
      await save(path, error.notebook, options, { durationMs: Date.now() - started, status: "failed" });
      process.stderr.write(`${failureText(error, process.stderr)}\n`);
    }
    throw error;
  }
}

/** The error as a notebook shows it, with its hint, its causes and the way to it, below the cell's lines if it is elsewhere. */
function failureText({ notebook, cellIndex, excerpt }: NotebookRunError, terminal: NodeJS.WriteStream): string {
  const cell = notebook.cells[cellIndex];
  const outputs = cell?.cell_type === "code" ? cell.outputs : [];
  const coloured = outputs.flatMap((output) => (output.output_type === "error" ? output.traceback : []));
  const lines = coloured.map((line) => ({ coloured: line, plain: stripVTControlCharacters(line) }));
  const isFrame = (index: number) => /^ {4}at /.test(lines[index]?.plain ?? "");
  // The only step of a way is the line that is shown below it.
  const told = lines.filter((_, index) => !isFrame(index) || isFrame(index - 1) || isFrame(index + 1));
  const hasColours = terminal.isTTY && terminal.hasColors();
  const shown = told.map((line) => (hasColours ? line.coloured : line.plain));
  const marked = excerpt.find((line) => line.startsWith(">"));
  const hasPlace = marked !== undefined && told.some(({ plain }) => plain === marked);
  return (hasPlace ? shown : [...excerpt, "", ...shown]).join("\n");
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

/** A page for others is not replaced by one of a run that failed, and neither is a PDF. */
async function save(path: string, notebook: Notebook, options: RunOptions, facts: RunFacts): Promise<void> {
  const { out, html, pdf, code } = options;
  if (out !== undefined) await writeNotebook(notebook, out);
  const isFailed = facts.status === "failed";
  if (html !== undefined && isFailed && !code) await tellOld(html);
  if (pdf !== undefined && isFailed) await tellOld(pdf);
  const needsPage = (html !== undefined && !(isFailed && !code)) || (pdf !== undefined && !isFailed);
  if (!needsPage) return;
  const { toHtml } = await loadPages();
  const { logo } = readFrontMatter(notebook);
  const meta: PageMeta = {
    ...facts,
    noCode: !code,
    ...(options.title === undefined ? {} : { title: options.title }),
    ...(options.paper === undefined ? {} : { paper: options.paper }),
    ...(logo === undefined ? {} : { logo: await readLogo(logo, path) }),
  };
  const page = toHtml(notebook, meta);
  if (html !== undefined && !(isFailed && !code)) await replaceText(html, page);
  if (pdf !== undefined && !isFailed) {
    await mkdir(dirname(pdf), { recursive: true });
    const { printPdf } = await import("../../notebook/page/print-pdf.js");
    await replaceFile(pdf, (place) => printPdf(page, place));
  }
}

async function replaceText(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await replaceFile(path, (place) => writeFile(place, text));
}

async function tellOld(path: string): Promise<void> {
  const found = await stat(path).catch(() => undefined);
  const left = found
    ? `is still that of ${found.mtime.toISOString().slice(0, 16).replace("T", " ")} UTC`
    : "is not written";
  process.stderr.write(`${path} ${left}.\n`);
}

const loadPages = () => import("../../notebook/page/to-html.js");
