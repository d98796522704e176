import { stat, writeFile } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { setFlagsFromString } from "node:v8";
import { counted } from "../../core/counted.js";
import { ArgumentError } from "../../core/errors.js";
import { formatMinute, inUtc } from "../../core/format/format-date.js";
import { formatDuration } from "../../core/format/format-duration.js";
import { makeFolderOf } from "../../core/make-folder.js";
import { givenOptions } from "../../core/options.js";
import { printable } from "../../core/printable.js";
import { engineName } from "../../kernel/engine/cell/engine-name.js";
import { readFrontMatter, readLogo } from "../../notebook/file/front-matter.js";
import { injectParameters } from "../../notebook/file/inject-parameters.js";
import type { Output } from "../../notebook/file/notebook.js";
import { type Notebook, NotebookRunError } from "../../notebook/file/notebook.js";
import { readNotebook, writeNotebook } from "../../notebook/file/notebook-file.js";
import { isScript } from "../../notebook/file/percent-script.js";
import type { RunSummary } from "../../notebook/page/notebook-summary.js";
import { findBrowser, printPdf } from "../../notebook/page/print-pdf.js";
import type { PageMeta } from "../../notebook/page/to-html.js";
import type { OrderConflict } from "../../notebook/run/cell-order.js";
import { runNotebook } from "../../notebook/run/run-notebook.js";
import { replaceFile } from "../../tables/export/replace-file.js";
import { parseParameters } from "../input/parameters.js";
import type { RunTargets } from "../input/run-targets.js";
import { printMessage, statusLine } from "./terminal.js";

/** Options for a run and its output files. */
export interface RunOptions extends RunTargets {
  /** Option of the program. */
  readonly debug?: boolean;
  readonly parameter?: readonly string[];
  /** Values in addition to the ones parsed from strings. */
  readonly parameters?: Readonly<Record<string, unknown>>;
  readonly allowUnknown?: boolean;
  readonly timeout?: number;
  readonly engine?: string;
  readonly check?: boolean;
  /** False with `--no-code`. */
  readonly code: boolean;
  /** Whether the page of a failed run replaces an existing page. */
  readonly allowFailed?: boolean;
  readonly paper?: string;
  readonly title?: string;
  /** The header of a report: recipient, author, document number, and the logo as a `data:` URL. */
  readonly client?: string;
  readonly preparedBy?: string;
  readonly document?: string;
  readonly logo?: string;
  /** BCP 47 tag of the language of a report. Default: `en`. */
  readonly locale?: string;
  /** Whether errors are shown without code, which readers of a report did not write. */
  readonly hasPlainErrors?: boolean;
  /** Files whose names depend on the executed notebook; they replace the given ones. */
  readonly namedBy?: (notebook: Notebook) => RunTargets;
}

/** Paper sizes by their CSS names. */
export const papers = ["A4", "Letter"] as const;

/** Regions with another paper than A4. */
const LETTER = /-(?:US|CA)$/;

/** The paper size of a PDF: A4, unless the language is that of the United States or Canada. */
export function paperOf({ paper, locale = "en" }: Pick<RunOptions, "paper" | "locale">): (typeof papers)[number] {
  return papers.find((name) => name === paper) ?? (LETTER.test(locale) ? "Letter" : "A4");
}

/** Last version of V8 that is known to have the flag. V8 prints a warning for an unknown flag. */
const versionWithFlag = 14;

/**
 * Delays V8's optimizing compiler. It would optimize code that the picture renderer runs only briefly, which costs more
 * time on both cores than it saves.
 */
export function optimizeLater(): void {
  if (Number.parseInt(process.versions.v8, 10) <= versionWithFlag) {
    setFlagsFromString("--wasm-tiering-budget=1000000000");
  }
}

/** A run whose cells did not fail. */
export interface RunResult {
  /** The executed notebook. */
  readonly notebook: Notebook;
  /** The message if outputs differ from the stored ones, with `--check`. */
  readonly difference: string | undefined;
  /** Size and duration of the run: `6 cells, 5 s`. */
  readonly cost: string;
}

/**
 * Runs a notebook and writes the requested files.
 *
 * @throws NotebookRunError if a cell fails
 */
export async function runOne(path: string, options: RunOptions): Promise<RunResult> {
  const parameters = { ...parseParameters(options.parameter ?? []), ...options.parameters };
  if (options.pdf !== undefined) await requireBrowser(options.pdf);
  if (options.check && isScript(path)) {
    throw new ArgumentError(`siteframe run: --check needs a notebook, and ${path} is a script.`, { facts: { path } });
  }
  if (options.out !== undefined && isScript(options.out)) {
    throw new ArgumentError(`siteframe run: --out ${options.out} is not a notebook (.ipynb).`, {
      hint: "Use a file that ends with .ipynb. To make a script, use siteframe convert.",
    });
  }
  const stored = await readNotebook(path);
  const started = Date.now();
  const status = statusLine(process.stderr);
  let cells = 0;
  try {
    const running = runNotebook(path, {
      parameters,
      engine: engineName(options.engine),
      // A script prints as in Node. Notebooks keep their outputs, some of which are for pages only.
      ...(isScript(path) ? { onStream: (name, text) => void process[name].write(text) } : {}),
      ...(options.code ? {} : { env: { SITEFRAME_ORIGIN: "off", SITEFRAME_LOCALE: options.locale ?? "en" } }),
      ...(options.timeout === undefined ? {} : { timeoutMs: options.timeout * 1000 }),
      onProgress: ({ done, total }) => {
        cells = total;
        // A script writes to the same terminal.
        if (!isScript(path)) status.update(`${basename(path)}: cell ${Math.min(done + 1, total)} of ${total}`);
      },
    });
    // Loads the page writer while the notebook runs.
    if (options.html !== undefined || options.pdf !== undefined) loadPages().catch(() => undefined);
    const notebook = await running;
    if (options.pdf !== undefined) status.update(`${basename(path)}: printing`);
    const targets = { ...options, ...options.namedBy?.(notebook) };
    await save(path, notebook, targets, { durationMs: Date.now() - started, status: "ok" });
    const difference = options.check
      ? ((await checkOrder(path, stored)) ?? checkOutputs(path, injectParameters(stored, parameters), notebook))
      : undefined;
    status.update("");
    const cost = `${counted(cells, "cell")}, ${formatDuration(Date.now() - started)}`;
    return { notebook, difference, cost };
  } catch (error) {
    status.update("");
    if (error instanceof NotebookRunError) {
      await save(path, error.notebook, options, { durationMs: Date.now() - started, status: "failed" });
      if (options.hasPlainErrors) throw plainError(error);
      process.stderr.write(`${failureText(error, process.stderr)}\n`);
    }
    throw error;
  }
}

/** The error of a report's cell in words: its message and hint, without the code of the cell. */
function plainError(error: NotebookRunError): NotebookRunError {
  const { notebook, cellIndex, reason, excerpt, hint } = error;
  const cell = notebook.cells[cellIndex];
  const outputs = cell?.cell_type === "code" ? cell.outputs : [];
  const thrown = outputs.find((output) => output.output_type === "error");
  if (!thrown) return error;
  const message = stripVTControlCharacters(thrown.evalue).replace(/\s*\n\s*/g, " ");
  return new NotebookRunError(`siteframe report: ${message}`, {
    notebook,
    cellIndex,
    reason,
    excerpt,
    hint,
  });
}

/** Files and cost of a run in one line. */
export function wroteText(files: readonly string[], cost: string): string {
  return `Wrote ${files.join(", ")} (${cost}).`;
}

/** Fails before the cells run, which can take minutes. */
async function requireBrowser(pdf: string): Promise<void> {
  try {
    await findBrowser(process.env);
  } catch (error) {
    await printUnchanged(pdf);
    throw error;
  }
}

/** An error as notebooks show it: hint, causes and stack; followed by the cell's lines if the error is elsewhere. */
function failureText({ notebook, cellIndex, excerpt }: NotebookRunError, terminal: NodeJS.WriteStream): string {
  const cell = notebook.cells[cellIndex];
  const outputs = cell?.cell_type === "code" ? cell.outputs : [];
  const coloured = outputs.flatMap((output) => (output.output_type === "error" ? output.traceback : []));
  const lines = coloured.map((line) => ({ coloured: line, plain: stripVTControlCharacters(line) }));
  const isFrame = (index: number) => /^ {4}at /.test(lines[index]?.plain ?? "");
  // A stack with a single frame is omitted, since its line is shown below.
  const kept = lines.filter((_, index) => !isFrame(index) || isFrame(index - 1) || isFrame(index + 1));
  const hasColours = terminal.isTTY && terminal.hasColors();
  const shown = kept.map((line) => (hasColours ? printableColours(line.coloured) : printable(line.plain)));
  const marked = excerpt.find((line) => line.startsWith(">"));
  const hasPlace = marked !== undefined && kept.some(({ plain }) => plain === marked);
  return (hasPlace ? shown : [...excerpt.map(printable), "", ...shown]).join("\n");
}

/** Keeps the colors of a line. Other escape sequences are shown as text. */
function printableColours(line: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  const parts = line.split(/(\x1b\[[\d;]*m)/);
  return parts.map((part, index) => (index % 2 === 0 ? printable(part) : part)).join("");
}

/** Prints which stored cells used other values than in the order of the file, and returns a summary; undefined if none. */
async function checkOrder(path: string, stored: Notebook): Promise<string | undefined> {
  const { orderConflicts } = await import("../../notebook/run/cell-order.js");
  const conflicts = orderConflicts(stored);
  if (conflicts.length === 0) return undefined;
  for (const conflict of conflicts) printMessage(`${path}: ${orderText(conflict)}`);
  return `siteframe run: ${path}: its cells ran in another order than that of the file. Store the outputs of this order: --out ${path}.`;
}

function orderText({ cellIndex, name, used, inOrder }: OrderConflict): string {
  const cell = `cell ${cellIndex + 1}`;
  if (used === undefined) return `${cell} ran before cell ${Number(inOrder) + 1}, which sets ${name} above it.`;
  if (inOrder === undefined) return `${cell} used ${name} of cell ${used + 1}, which is below it.`;
  return `${cell} used ${name} of cell ${used + 1}; in the order of the file, it is that of cell ${inOrder + 1}.`;
}

/** Prints the outputs that differ from the stored ones, and returns a summary; undefined if none differ. */
function checkOutputs(path: string, stored: Notebook, executed: Notebook): string | undefined {
  const differences = compareOutputs(stored, executed);
  if (differences.length === 0) return undefined;
  for (const { cellIndex, stored: before, now } of differences) {
    printMessage(`${path}: cell ${cellIndex + 1}\n--- stored\n${before}\n+++ now\n${now}`);
  }
  return `siteframe run: ${path}: the outputs of ${counted(differences.length, "cell")} differ from the stored ones. If the new outputs are correct, store them: --out ${path}.`;
}

/**
 * Writes a page. The page of a failed run replaces an existing page only if that is allowed. Pages without code and
 * PDFs are not written for failed runs.
 */
async function save(path: string, notebook: Notebook, options: RunOptions, facts: RunSummary): Promise<void> {
  const { out, html, pdf, code, allowFailed = false } = options;
  if (out !== undefined) await writeNotebook(notebook, out);
  const isFailed = facts.status === "failed";
  const isKept = isFailed && html !== undefined && (!code || (!allowFailed && (await isThere(html))));
  const page = isKept ? undefined : html;
  const print = isFailed ? undefined : pdf;
  if (html !== undefined && page === undefined) await printUnchanged(html);
  if (pdf !== undefined && print === undefined) await printUnchanged(pdf);
  if (page === undefined && print === undefined) return;
  const { text, pdf: pdfFacts } = await pageOf(path, notebook, options, facts);
  if (page !== undefined) await replaceText(page, text);
  if (print !== undefined) {
    await makeFolderOf(print);
    await replaceFile(print, (temporary) => printPdf(text, temporary, pdfFacts));
  }
}

/** A notebook as a page, and the metadata of its PDF. */
async function pageOf(path: string, notebook: Notebook, options: RunOptions, facts: RunSummary) {
  const { pdfFacts, toHtml } = await import("../../notebook/page/to-html.js");
  const { logo } = readFrontMatter(notebook);
  const { title, client, preparedBy, document, locale } = options;
  const meta: PageMeta = {
    ...facts,
    noCode: !options.code,
    ...givenOptions({ title, client, preparedBy, document, locale }),
    paper: paperOf(options),
    logo: options.logo ?? (logo === undefined ? undefined : await readLogo(logo, dirname(path))),
  };
  return { text: toHtml(notebook, meta), pdf: pdfFacts(notebook, meta) };
}

async function replaceText(path: string, text: string): Promise<void> {
  await makeFolderOf(path);
  await replaceFile(path, (temporary) => writeFile(temporary, text));
}

async function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

/** Prints that a file was not written by this run. */
export async function printUnchanged(path: string): Promise<void> {
  const stats = await stat(path).catch(() => undefined);
  const left = stats ? `is still the version of ${formatMinute(stats.mtime, inUtc)}` : "was not written";
  printMessage(`${path} ${left}.`);
}

const loadPages = () => import("../../notebook/page/to-html.js");

/** A cell whose outputs differ from the stored ones. */
interface OutputDifference {
  /** Index in `notebook.cells`. */
  readonly cellIndex: number;
  readonly stored: string;
  readonly now: string;
}

/**
 * Compares the outputs of two runs of a notebook as a reader would: printed text, plain text and formats of results, and
 * errors by name and message. Cells without stored outputs differ if they have any now. Counts and metadata are ignored.
 */
export function compareOutputs(stored: Notebook, executed: Notebook): readonly OutputDifference[] {
  const before = codeOutputs(stored);
  const after = codeOutputs(executed);
  return after.flatMap(({ cellIndex, text: now }, index) => {
    const text = before[index]?.text ?? "";
    return text === now ? [] : [{ cellIndex, stored: text, now }];
  });
}

function codeOutputs({ cells }: Notebook): readonly { readonly cellIndex: number; readonly text: string }[] {
  return cells.flatMap((cell, cellIndex) =>
    cell.cell_type === "code" ? [{ cellIndex, text: describe(cell.outputs) }] : [],
  );
}

/** Text printed in several pieces equals the same text in one piece. */
function describe(outputs: readonly Output[]): string {
  const merged: { label: string; text: string }[] = [];
  for (const output of outputs) {
    const next = describeOne(output);
    const last = merged.at(-1);
    if (last?.label === next.label && output.output_type === "stream") last.text += next.text;
    else merged.push(next);
  }
  return merged.map(({ label, text }) => `[${label}] ${text.trimEnd()}`).join("\n");
}

function describeOne(output: Output): { label: string; text: string } {
  switch (output.output_type) {
    case "stream":
      return { label: output.name, text: output.text };
    case "error":
      return { label: "error", text: `${output.ename}: ${output.evalue}` };
    default:
      return { label: Object.keys(output.data).sort().join(", "), text: String(output.data["text/plain"] ?? "") };
  }
}
