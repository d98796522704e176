import { dirname, resolve } from "node:path";
import { exitError, timeoutError } from "../../kernel/engine/cell/cell-errors.js";
import { colouredTraceback } from "../../kernel/engine/cell/coloured-traceback.js";
import { type EngineName, engineNames } from "../../kernel/engine/cell/engine-name.js";
import type { CellError, PlannedCell } from "../../kernel/engine/cell/language-engine.js";
import { sourceExcerpt } from "../../kernel/engine/cell/source-excerpt.js";
import { chooseEngine } from "../../kernel/engine/choose-engine.js";
import { languageInfo } from "../../kernel/install/language-info.js";
import type { Picture } from "../../tables/display/bundle/unpainted.js";
import { cellTags } from "../file/cell-tags.js";
import { injectParameters, type Parameters } from "../file/inject-parameters.js";
import type { Cell, CodeCell, Notebook, Output } from "../file/notebook.js";
import { type NotebookFailure, NotebookRunError } from "../file/notebook-error.js";
import { readNotebook } from "../file/read-notebook.js";
import { type CellEnd, CellProcess } from "./cell-process.js";
import { LatePictures } from "./late-pictures.js";
import { OutputCollector } from "./output-collector.js";
import { runRecord } from "./run-record.js";

/** Options of `runNotebook`. */
export interface RunNotebookOptions {
  /** Where the cells run and modules are looked for. By default the notebook's folder, else the working directory. */
  readonly cwd?: string;
  /** Values for the notebook's variables. See `injectParameters`. */
  readonly parameters?: Parameters;
  /** The longest time for one cell, in milliseconds. Default: no limit. */
  readonly timeoutMs?: number;
  /** Added to the environment of the cells. */
  readonly env?: Readonly<Record<string, string>>;
  /** What understands the cells. Default: typescript. */
  readonly engine?: EngineName;
  /** Called before each code cell, and at the end. */
  readonly onProgress?: (progress: NotebookProgress) => void;
  readonly now?: () => Date;
}

/** How far a notebook is: `done` of `total` code cells. */
export interface NotebookProgress {
  readonly done: number;
  readonly total: number;
}

/**
 * Runs a notebook from top to bottom in a process of its own, and stops at the first error, unless its cell is tagged
 * `raises-exception`.
 *
 * @param input the path of a notebook, or a notebook
 * @returns the notebook with its outputs, and `metadata.siteframe` about the run; the input is left as it was
 * @throws NotebookRunError if a cell fails, runs too long or ends its process; ArgumentError and NotebookFormatError
 *   if the notebook or the parameters cannot be used; see `chooseEngine` for an engine that is not installed
 */
export async function runNotebook(input: string | Notebook, options: RunNotebookOptions = {}): Promise<Notebook> {
  const {
    parameters = {},
    timeoutMs = Number.POSITIVE_INFINITY,
    env = {},
    engine: wanted = engineNames[0],
    onProgress = () => undefined,
  } = options;
  const executedAt = (options.now ?? (() => new Date()))();
  const cwd = options.cwd ?? (typeof input === "string" ? dirname(resolve(input)) : process.cwd());
  const name = typeof input === "string" ? input : "The notebook";
  const notebook = injectParameters(typeof input === "string" ? await readNotebook(input) : input, parameters);
  const { engine } = chooseEngine(wanted);
  const cellProcess = await CellProcess.start({ cwd, env, engine: wanted, cells: plannedCells(notebook) });
  try {
    return await runCells(notebook, { name, engine, cellProcess, timeoutMs, onProgress, executedAt });
  } finally {
    cellProcess.close();
  }
}

interface Run {
  readonly name: string;
  readonly engine: EngineName;
  readonly cellProcess: CellProcess;
  readonly timeoutMs: number;
  readonly onProgress: (progress: NotebookProgress) => void;
  readonly executedAt: Date;
}

async function runCells(
  notebook: Notebook,
  { name, engine, cellProcess, timeoutMs, onProgress, executedAt }: Run,
): Promise<Notebook> {
  const collector = new OutputCollector();
  const late = new LatePictures();
  const cells: Cell[] = notebook.cells.map((cell) => (cell.cell_type === "code" ? cleared(cell) : cell));
  const executed = (): Notebook => ({
    ...notebook,
    cells,
    metadata: {
      language_info: languageInfo(engine),
      ...notebook.metadata,
      siteframe: runRecord(executedAt, cellProcess.sources),
    },
  });
  const planned = plannedCells(notebook);
  const total = planned.length;
  let done = 0;

  for (const [index, cell] of cells.entries()) {
    const next = planned[done];
    if (next === undefined || !runs(cell)) continue;
    onProgress({ done, total });
    const count = ++done;
    const shown = collector.startCell();
    cells[index] = { ...cell, execution_count: count, outputs: shown.outputs };
    const end = await cellProcess.execute(next, shown, timeoutMs);
    const output = endOutput(end, count, timeoutMs);
    if (output) shown.add(output);
    if (output?.output_type === "execute_result") late.add(output, { pictures: picturesOf(end) }, shown);
    if (output?.output_type === "error" && !mayFail(cell, end)) {
      await late.painted();
      const message = `${name}: cell [${count}] failed: ${output.ename}: ${output.evalue}`;
      throw new NotebookRunError(message, failure(end, executed(), index, cell.source));
    }
  }
  await late.painted();
  onProgress({ done, total });
  return executed();
}

function runs(cell: Cell): cell is CodeCell {
  return cell.cell_type === "code" && cell.source.trim() !== "";
}

function plannedCells({ cells }: Notebook): readonly PlannedCell[] {
  return cells.filter(runs).map(({ source }, index) => ({ code: source, name: `Cell ${index + 1}` }));
}

/** As in Jupyter, the tag allows an error, but neither that the cell ends its process nor that it runs too long. */
function mayFail(cell: Cell, end: CellEnd): boolean {
  return end.type === "outcome" && cellTags(cell).includes("raises-exception");
}

function cleared(cell: CodeCell): CodeCell {
  return { ...cell, execution_count: null, outputs: [] };
}

/** What the end of a cell adds to its outputs. */
function endOutput(end: CellEnd, execution_count: number, timeoutMs: number): Output | undefined {
  if (end.type === "timeout") return errorOutput(timeoutError(timeoutMs));
  if (end.type === "exit") return errorOutput(exitError(end.code, end.signal));
  const { outcome } = end;
  if (outcome.status === "error") return errorOutput(outcome.error);
  if (!outcome.result) return undefined;
  return { output_type: "execute_result", data: outcome.result, metadata: {}, execution_count };
}

function picturesOf(end: CellEnd): readonly Picture[] {
  return end.type === "outcome" && end.outcome.status === "ok" ? (end.outcome.pictures ?? []) : [];
}

function errorOutput(error: CellError): Output {
  const { ename, evalue } = error;
  return { output_type: "error", ename, evalue, traceback: colouredTraceback(error) };
}

function failure(end: CellEnd, notebook: Notebook, cellIndex: number, source: string): NotebookFailure {
  const error = end.type === "outcome" && end.outcome.status === "error" ? end.outcome.error : undefined;
  const excerpt =
    error?.line !== undefined
      ? sourceExcerpt(source, { line: error.line, column: error.column ?? 1 }, 3)
      : source.split("\n");
  return { reason: end.type === "outcome" ? "error" : end.type, notebook, cellIndex, excerpt };
}
