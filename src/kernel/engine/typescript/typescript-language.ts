import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { DepthProblem } from "../../../core/code-depth.js";
import {
  depthError,
  InterruptError,
  kernelError,
  type Problem,
  plainError,
  problemError,
} from "../cell/cell-errors.js";
import { inspectedOffset, plainCode } from "../cell/cell-positions.js";
import type {
  CellLanguage,
  Compilation,
  Completeness,
  Completion,
  Inspection,
  LocalFile,
  ModuleCompilation,
  PlannedCell,
} from "../cell/language-engine.js";
import { mentionedPreloads } from "../cell/preloaded-names.js";
import type { Language } from "./analyze/syntax.js";
import { CellChecks } from "./cell-checks.js";
import { type CellAhead, CellsAhead } from "./cells-ahead.js";
import type { CheckerOptions } from "./check/compiler-documents.js";
import { completionMatches, NameKinds } from "./check/completions.js";
import { describeProblems, type FoundProblem, syntaxProblems } from "./check/describe-problems.js";
import { cellText, EarlierCells, positionIn } from "./check/earlier-cells.js";
import { splitHover } from "./check/language-server.js";
import { NoCompilerError } from "./check/native-compiler.js";
import { type NotebookOptions, readNotebookOptions } from "./check/notebook-options.js";
import { TypeChecker } from "./check/type-checker.js";
import { TypesFolder } from "./check/types-folder.js";
import type { CellEmission, ReadCell, ReadingProblem } from "./compile-cell.js";
import type { WatchedModules } from "./modules/imported-modules.js";
import { resolveLocal } from "./modules/resolve-local.js";

/** Code that may change the meaning of earlier cells: more global declarations or types. */
const mayBringMore = /\b(import|require|export|global|module|namespace)\b|\/\/\/\s*</;
/** Number of cells to parse, in this thread, before the first of them is checked. */
const mostTogether = 32;
const identifiers = /[\p{ID_Start}$_][\p{ID_Continue}$]*/gu;

type Tools = typeof import("./code-tools.js");

/**
 * Checks cells with TypeScript's native compiler, a separate process, and compiles them for Node with oxc, each with
 * the names of earlier cells.
 */
export class TypeScriptLanguage implements CellLanguage {
  /** The path of cells for resolving imports. */
  readonly #path: string;
  readonly #options: NotebookOptions;
  readonly #language: Language;
  readonly #folder: TypesFolder;
  readonly #earlier: EarlierCells;
  readonly #checker: TypeChecker;
  readonly #checks: CellChecks;
  readonly #kinds: NameKinds;
  readonly #loading: Promise<Tools>;
  #loaded: Tools | undefined;
  readonly #ahead = new CellsAhead();
  #watched: WatchedModules | undefined;
  #isBusy = false;
  #turn: Promise<unknown> = Promise.resolve();
  /** Aborted with InterruptError by the next interrupt. */
  #requests = new AbortController();
  /** Functions that revert cells, by cell name. */
  readonly #retractions = new Map<string, () => void>();
  /** Callbacks that wait until the compiler has a cell that loads a package. */
  readonly #onImports: (() => void)[] = [];

  constructor(directory: string, options: CheckerOptions = {}) {
    this.#options = readNotebookOptions(directory);
    this.#language = this.#options.hasJsx ? "tsx" : "ts";
    const extension = `.${this.#language}`;
    this.#path = join(directory, `cell${extension}`);
    this.#folder = new TypesFolder(directory);
    this.#earlier = new EarlierCells(this.#folder, extension);
    this.#checker = new TypeChecker(this.#folder, this.#options.project, extension, options);
    this.#checks = new CellChecks(this.#checker, this.#earlier);
    this.#kinds = new NameKinds(this.#checker, this.#earlier);
    this.#loading = loadTools(this.#checker.started);
  }

  compile(code: string, name: string, { keep = true } = {}): Promise<Compilation> {
    return this.#inTurn(async (signal) => {
      this.#lookForChanges();
      const ready = keep ? await this.#ahead.take({ code, name }) : undefined;
      signal.throwIfAborted();
      const compilation = ready ?? (await this.#compile({ code, name }, keep, signal));
      void this.#goAhead();
      return compilation;
    });
  }

  async prepare(cells: readonly PlannedCell[]): Promise<void> {
    this.#ahead.plan(cells);
    await Promise.race([this.#goAhead(), new Promise<void>((resolve) => this.#onImports.push(resolve))]);
  }

  complete(source: string, offset: number): Promise<Completion> {
    const code = plainCode(source);
    const start = code.slice(0, offset).search(/[\p{ID_Continue}$]*$/u);
    const end = offset + code.slice(offset).search(/(?![\p{ID_Continue}$])/u);
    const typed = code.slice(start, offset);
    return this.#inTurn(async () => {
      if (this.#tooDeep(code)) return { matches: [], start: offset, end: offset };
      const offered = await this.#ask("completion", code, offset, typed);
      const before = code.slice(code.lastIndexOf("\n", offset - 1) + 1, offset);
      const matches = completionMatches(offered, typed, before);
      const reading = this.#read(code);
      const ownNames = "names" in reading ? reading.names : undefined;
      const kinds = await this.#kinds.of(matches, code.slice(0, start), ownNames);
      return { matches: matches.map(({ text }) => text), kinds, start, end };
    });
  }

  inspect(source: string, offset: number): Promise<Inspection | undefined> {
    const code = plainCode(source);
    return this.#inTurn(async () => {
      if (this.#tooDeep(code)) return undefined;
      const name = inspectedOffset(code, offset);
      const hover = name === undefined ? undefined : splitHover(await this.#ask("hover", code, name));
      return hover ?? readSignature(await this.#ask("signatureHelp", code, offset));
    });
  }

  async isComplete(code: string): Promise<Completeness> {
    await this.#load();
    return this.#tools.codeCompleteness(plainCode(code), this.#language);
  }

  warnings(): readonly string[] {
    return this.#options.warnings;
  }

  findModule(specifier: string, from: string): LocalFile | undefined {
    return resolveLocal(specifier, from, this.#options.paths);
  }

  async compileModule(path: string): Promise<ModuleCompilation> {
    await this.#load();
    try {
      return this.#tools.compileModule(path, this.#options.emit, (specifier) => this.#isFound(specifier, path));
    } catch (error) {
      if (!(error instanceof NoCompilerError)) throw error;
      return { status: "error", message: `${path}: ${error.message} ${error.hint}` };
    }
  }

  interrupt(): void {
    this.#requests.abort(new InterruptError());
    this.#requests = new AbortController();
    if (this.#isBusy) this.#checker.interrupt();
  }

  retract(name: string): void {
    // Cells parsed after it may use its names.
    this.#ahead.restart();
    this.#retractions.get(name)?.();
    this.#retractions.delete(name);
  }

  reset(): void {
    this.#ahead.forget();
    this.#earlier.forget();
    this.#retractions.clear();
  }

  close(): void {
    this.#checker.close();
    this.#folder.remove();
  }

  async #compile({ code: source, name }: PlannedCell, keep: boolean, signal: AbortSignal): Promise<Compilation> {
    const code = this.#tools.importsForExports(plainCode(source), this.#language);
    const tooDeep = this.#tooDeep(code);
    if (tooDeep) return { status: "error", error: depthError(tooDeep, source, name) };
    const cell = this.#readCell(code);
    if ("message" in cell) {
      return this.#refuse(await this.#syntaxProblems(code, cell), source, name);
    }
    this.#look(code);
    const checking = this.#checks.check(cell);
    const emitted = this.#emit(source, cell, this.#emission(name, cell));
    const { text, problems, forget } = await checking;
    if (problems.length > 0) {
      forget?.();
      return this.#refuse(this.#describe(problems, code), source, name);
    }
    const compiled = await emitted();
    if (!keep || signal.aborted || compiled.status === "error") forget?.();
    signal.throwIfAborted();
    if (keep && compiled.status === "ok")
      this.#keep(name, [this.#earlier.add(name, text, cell.names), ...(forget ? [forget] : [])]);
    return compiled;
  }

  #keep(name: string, ways: readonly (() => void)[]): void {
    this.#retractions.set(name, () => {
      for (const takeBack of ways) takeBack();
    });
  }

  /** Names are those of the cells before it, even if more cells are parsed before it is compiled. */
  #emission(name: string, { freeNames }: ReadCell): CellEmission {
    const earlier = new Set(freeNames.filter((each) => this.#earlier.hasValue(each)));
    return { name, options: this.#options.emit, isEarlier: (each) => earlier.has(each) };
  }

  /**
   * Compiles a cell while it is checked. Long code is compiled after the check: like the parser, the transformer would
   * copy the line of each name that is declared twice into an error.
   *
   * @returns a function that returns the cell, to be called if the check has found no errors
   */
  #emit(source: string, cell: ReadCell, emission: CellEmission): () => Promise<Compilation> {
    const emit = async (): Promise<Compilation> => {
      try {
        return { status: "ok", cell: { ...this.#tools.emitCell(cell, emission), code: source } };
      } catch (error) {
        if (!(error instanceof NoCompilerError)) throw error;
        return { status: "error", error: plainError(error.name, error.message, error.hint) };
      }
    };
    if (this.#tools.mayHoldMuch(cell.syntax.code)) return emit;
    // By the next turn the request has been sent to the compiler.
    const emitting = nextTurn().then(emit);
    // If the check finds problems, the result is discarded.
    emitting.catch(() => undefined);
    return () => emitting;
  }

  /**
   * Parses and compiles the planned cells one at a time, so that a cell whose turn has come does not wait for later
   * ones.
   */
  #goAhead(): Promise<void> {
    const step = async () => (await this.#ahead.compileNext()) || this.#readAhead();
    return this.#ahead.go(() => this.#inTurn(step));
  }

  /** Parses the next planned cells, as many as mean the same together as one by one. */
  #readAhead(): boolean {
    const together: string[] = [];
    const read: CellAhead[] = [];
    for (const planned of this.#ahead.next.slice(0, mostTogether)) {
      const ahead = this.#readBeside(together, planned);
      if (ahead === undefined) break;
      read.push(ahead);
    }
    this.#ahead.add(read);
    return read.length > 0;
  }

  /** Undefined if the cell must wait, for its turn or for the checks of earlier cells. */
  #readBeside(together: string[], planned: PlannedCell): CellAhead | undefined {
    const { code: source, name } = planned;
    const find = (specifier: string) => this.findModule(specifier, this.#path);
    if (this.#tools.dependsOnFiles(source, this.#path, find)) return undefined;
    if (together.length > 0 && mayBringMore.test(source)) return undefined;
    const cell = this.#readCell(this.#tools.importsForExports(plainCode(source), this.#language));
    if ("message" in cell || (together.length > 0 && cell.syntax.hasJsx)) return undefined;
    this.#look(cell.syntax.code);
    const emission = this.#emission(name, cell);
    const takeBack = this.#earlier.mark();
    const kept = this.#checks.keep(name, cell, together);
    const compile = async (): Promise<Compilation> => {
      this.#keep(name, [kept.retract]);
      const checking = kept.check();
      if (mayBringMore.test(source) || mentionedPreloads(source).size > 0) void nextTurn().then(this.#tellOfImports);
      const emitted = this.#emit(source, cell, emission);
      const problems = await checking;
      if (problems.length > 0) return this.#refuse(this.#describe(problems, cell.syntax.code), source, name);
      return emitted();
    };
    return { cell: planned, compile, takeBack };
  }

  /**
   * The compiler handles one text at a time.
   *
   * @param work called with the signal of an interrupt, which rejects queued work with InterruptError
   */
  #inTurn<Value>(work: (signal: AbortSignal) => Promise<Value>): Promise<Value> {
    const { signal } = this.#requests;
    const turn = this.#turn.then(async () => {
      await this.#load();
      signal.throwIfAborted();
      this.#isBusy = true;
      try {
        return await work(signal);
      } finally {
        this.#isBusy = false;
      }
    });
    this.#turn = turn.catch(() => undefined);
    return turn;
  }

  /** Set from the first turn on. */
  get #tools(): Tools {
    if (!this.#loaded) throw new TypeError("code is parsed before the parser is loaded");
    return this.#loaded;
  }

  async #load(): Promise<void> {
    this.#loaded = await this.#loading;
  }

  #read(code: string): ReturnType<Tools["readCell"]> {
    return this.#tools.readCell(code, this.#language, (specifier) => this.#isFound(specifier, this.#path));
  }

  readonly #tellOfImports = () => {
    for (const tell of this.#onImports.splice(0)) tell();
  };

  #readCell(code: string): ReadCell | ReadingProblem {
    const reading = this.#read(code);
    return "message" in reading ? reading : this.#tools.withFreeNames(reading, this.#options.emit);
  }

  /** Such code is not sent to the compiler process either. */
  #tooDeep(code: string): DepthProblem | undefined {
    return this.#tools.codeDepthProblem(code, this.#language);
  }

  #isFound(specifier: string, from: string): boolean {
    return this.findModule(specifier, from) !== undefined || this.#tools.isPackageFound(specifier, from);
  }

  /** Sends a request about a position in code that may be invalid. */
  #ask(
    method: "completion" | "hover" | "signatureHelp",
    code: string,
    offset: number,
    typed?: string,
  ): Promise<unknown> {
    this.#look(code);
    this.#checker.need({ node: true, preloads: mentionedPreloads(code) });
    const reading = this.#read(code);
    const ownNames = "names" in reading ? reading.names : undefined;
    const start = typed?.toLowerCase();
    const begun =
      start === undefined ? [] : [...this.#earlier.names].filter((name) => name.toLowerCase().startsWith(start));
    const before = this.#earlier.declare(new Set([...this.#mentioned(code), ...begun]), ownNames);
    return this.#checker.ask(method, cellText(code, before), positionIn(code, offset));
  }

  async #syntaxProblems(code: string, problem: ReadingProblem): Promise<readonly Problem[]> {
    const text = cellText(code, this.#earlier.declare(this.#mentioned(code)));
    const problems = syntaxProblems(await this.#checker.problems(text), code, problem);
    return this.#describe(problems, code);
  }

  #mentioned(code: string): ReadonlySet<string> {
    return new Set((code.match(identifiers) ?? []).filter((name) => this.#earlier.has(name)));
  }

  /** Reports changed files to the compiler. */
  #look(code: string): void {
    const watched = this.#lookForChanges();
    if (/\b(import|from|require)\b/.test(code)) watched.add(this.#tools.moduleSpecifiers(code, this.#path), this.#path);
  }

  #lookForChanges(): WatchedModules {
    this.#watched ??= new this.#tools.WatchedModules((specifier, from) => this.findModule(specifier, from));
    const changes = this.#watched.look();
    if (changes.length > 0) {
      this.#ahead.outdate();
      this.#kinds.forget();
    }
    this.#checker.tellChanges(changes);
    return this.#watched;
  }

  #describe(problems: readonly FoundProblem[], code: string): readonly Problem[] {
    return describeProblems(problems, code, {
      nameCells: (message) => this.#earlier.nameCells(message),
      isEarlier: (name) => this.#earlier.hasValue(name),
    });
  }

  #refuse(problems: readonly Problem[], code: string, name: string): Compilation {
    if (problems.length === 0) return { status: "error", error: kernelError("The cell cannot be compiled.") };
    return { status: "error", error: problemError(problems, code, name) };
  }
}

/**
 * In two steps: the first while the compiler process starts; the second, which blocks this thread longer, after the
 * compiler has its first request.
 */
async function loadTools(started: Promise<void>): Promise<Tools> {
  await import("./analyze/syntax.js");
  await started;
  return import("./code-tools.js");
}

/** Returns the signature of the function around the position. */
function readSignature(hover: unknown): Inspection | undefined {
  const { signatures = [], activeSignature = 0 } = (hover ?? {}) as {
    readonly signatures?: readonly {
      readonly label: string;
      readonly documentation?: string | { readonly value: string };
    }[];
    readonly activeSignature?: number;
  };
  const signature = signatures[activeSignature] ?? signatures[0];
  if (!signature) return undefined;
  const { label, documentation = "" } = signature;
  return { signature: label, documentation: typeof documentation === "string" ? documentation : documentation.value };
}
