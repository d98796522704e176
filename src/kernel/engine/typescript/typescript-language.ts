import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { kernelError } from "../cell/cell-errors.js";
import { inspectedOffset } from "../cell/inspected-offset.js";
import type {
  CellLanguage,
  Compilation,
  CompiledCell,
  Completeness,
  Completion,
  Inspection,
  PlannedCell,
} from "../cell/language-engine.js";
import type { LocalFile, ModuleCompilation } from "../cell/module-source.js";
import { plainCode } from "../cell/plain-code.js";
import { mentionsPreload } from "../cell/preloaded-declaration.js";
import { type Problem, problemError } from "../cell/problem-error.js";
import type { Language } from "./analyze/analyze-code.js";
import { CellsAhead } from "./cells-ahead.js";
import { cellText, positionIn } from "./check/cell-text.js";
import { completionMatches } from "./check/completion-matches.js";
import { describeProblems, isOfSyntax } from "./check/describe-problems.js";
import { EarlierCells } from "./check/earlier-cells.js";
import { NameKinds } from "./check/name-kinds.js";
import { isOfNode } from "./check/node-names.js";
import { type NotebookOptions, readNotebookOptions } from "./check/notebook-options.js";
import { readHover, readSignature } from "./check/read-hover.js";
import { removeStaleFolders } from "./check/stale-folders.js";
import { type CheckerOptions, type ServerProblem, TypeChecker } from "./check/type-checker.js";
import { TypesFolder } from "./check/types-folder.js";
import type { CellReading } from "./compile-cell.js";
import { loadTools, type Tools } from "./load-tools.js";
import { resolveLocal } from "./modules/resolve-local.js";
import type { WatchedModules } from "./modules/watched-modules.js";

const noSuchModule = 2664;
const identifiers = /[\p{ID_Start}$_][\p{ID_Continue}$]*/gu;

/**
 * Checks cells with TypeScript's native compiler, a process of its own, and writes them for Node with oxc, each in the
 * light of those before it.
 */
export class TypeScriptLanguage implements CellLanguage {
  /** Where cells are, to what they import. */
  readonly #path: string;
  readonly #options: NotebookOptions;
  readonly #language: Language;
  readonly #folder: TypesFolder;
  readonly #earlier: EarlierCells;
  readonly #checker: TypeChecker;
  readonly #kinds: NameKinds;
  readonly #tools: Promise<Tools>;
  readonly #ahead = new CellsAhead();
  #watched: WatchedModules | undefined;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(directory: string, options: CheckerOptions = {}) {
    this.#options = readNotebookOptions(directory);
    this.#language = this.#options.hasJsx ? "tsx" : "ts";
    const extension = `.${this.#language}`;
    this.#path = join(directory, `cell${extension}`);
    this.#folder = new TypesFolder(directory);
    this.#earlier = new EarlierCells(this.#folder, extension);
    this.#checker = new TypeChecker(this.#folder, this.#options.project, extension, options);
    this.#kinds = new NameKinds(this.#checker, this.#earlier);
    this.#tools = loadTools();
    removeStaleFolders();
  }

  compile(code: string, name: string, { keep = true } = {}): Promise<Compilation> {
    return this.#inTurn(async (tools) => {
      this.#lookForChanges(tools);
      const ready = keep ? this.#ahead.take({ code, name }) : undefined;
      const compilation = ready ?? (await this.#compile({ code, name }, keep, tools));
      this.#goAhead();
      return compilation;
    });
  }

  prepare(cells: readonly PlannedCell[]): void {
    this.#ahead.plan(cells);
    this.#goAhead();
  }

  complete(source: string, offset: number): Promise<Completion> {
    const code = plainCode(source);
    const typed = /[\p{ID_Continue}$]*$/u.exec(code.slice(0, offset))?.[0] ?? "";
    const rest = /^[\p{ID_Continue}$]*/u.exec(code.slice(offset))?.[0] ?? "";
    return this.#inTurn(async (tools) => {
      const offered = await this.#ask("completion", code, offset, tools, typed);
      const before = code.slice(code.lastIndexOf("\n", offset - 1) + 1, offset);
      const found = completionMatches(offered, typed, before);
      const start = offset - typed.length;
      const reading = this.#read(code, tools);
      const own = "names" in reading ? reading.names : undefined;
      const kinds = await this.#kinds.of(found, code.slice(0, start), own);
      return { matches: found.map(({ text }) => text), kinds, start, end: offset + rest.length };
    });
  }

  inspect(source: string, offset: number): Promise<Inspection | undefined> {
    const code = plainCode(source);
    return this.#inTurn(async (tools) => {
      const name = inspectedOffset(code, offset);
      const hover = name === undefined ? undefined : readHover(await this.#ask("hover", code, name, tools));
      return hover ?? readSignature(await this.#ask("signatureHelp", code, offset, tools));
    });
  }

  async isComplete(code: string): Promise<Completeness> {
    return (await this.#tools).codeCompleteness(plainCode(code), this.#language);
  }

  warnings(): readonly string[] {
    return this.#options.warnings;
  }

  findModule(specifier: string, from: string): LocalFile | undefined {
    return resolveLocal(specifier, from, this.#options.paths);
  }

  async compileModule(path: string): Promise<ModuleCompilation> {
    const tools = await this.#tools;
    return tools.compileModule(path, this.#options.emit, (specifier) => this.#isFound(specifier, path, tools));
  }

  reset(): void {
    this.#ahead.forget();
    this.#earlier.forget();
  }

  close(): void {
    this.#checker.close();
    this.#folder.remove();
  }

  async #compile({ code: source, name }: PlannedCell, keep: boolean, tools: Tools): Promise<Compilation> {
    const code = tools.importsForExports(plainCode(source), this.#language);
    const reading = this.#read(code, tools);
    if ("message" in reading) {
      const { message, offset } = reading;
      return this.#refuse(await this.#syntaxProblems(code, message, offset), source, name);
    }
    const checking = this.#check(code, reading, tools);
    const emitting = this.#emit(code, reading, name, tools);
    const { text, problems, forget } = await checking;
    if (problems.length > 0) {
      forget?.();
      return this.#refuse(this.#describe(problems, code), source, name);
    }
    const cell = await emitting;
    if (keep) this.#earlier.add(name, text, reading.names);
    else forget?.();
    return { status: "ok", cell: { ...cell, code: source } };
  }

  /** Writes a cell while the compiler, which by the next turn has been asked, looks for problems in it. */
  #emit(code: string, reading: CellReading, name: string, tools: Tools): Promise<CompiledCell> {
    const isEarlier = (earlier: string) => this.#earlier.hasValue(earlier);
    const emission = { name, language: this.#language, options: this.#options.emit, isEarlier };
    const emitting = nextTurn().then(() => tools.emitCell(code, reading, emission));
    // Where there are problems, nobody waits for it.
    emitting.catch(() => undefined);
    return emitting;
  }

  /** Compiles what is planned, a cell at a time: one whose turn has come does not wait for those after it. */
  #goAhead(): void {
    const compileNext = async (tools: Tools): Promise<boolean> => {
      const cell = this.#ahead.next;
      const find = (specifier: string) => this.findModule(specifier, this.#path);
      if (cell === undefined || tools.dependsOnFiles(cell.code, this.#path, find)) return false;
      const takeBack = this.#earlier.mark();
      this.#ahead.add({ cell, compilation: await this.#compile(cell, true, tools), takeBack });
      return true;
    };
    void this.#ahead.go(() => this.#inTurn(compileNext));
  }

  /** The compiler sees one text at a time. */
  #inTurn<Value>(work: (tools: Tools) => Promise<Value>): Promise<Value> {
    const turn = this.#turn.then(async () => work(await this.#tools));
    this.#turn = turn.catch(() => undefined);
    return turn;
  }

  #read(code: string, tools: Tools): ReturnType<Tools["readCell"]> {
    return tools.readCell(code, this.#language, (specifier) => this.#isFound(specifier, this.#path, tools));
  }

  #isFound(specifier: string, from: string, tools: Tools): boolean {
    return this.findModule(specifier, from) !== undefined || tools.isPackageFound(specifier, from);
  }

  /** Asks for a place in code that need not be right. */
  #ask(
    method: "completion" | "hover" | "signatureHelp",
    code: string,
    offset: number,
    tools: Tools,
    typed?: string,
  ): Promise<unknown> {
    this.#look(code, tools);
    this.#checker.need({ node: true, packages: mentionsPreload(code) });
    const reading = this.#read(code, tools);
    const own = "names" in reading ? reading.names : undefined;
    const start = typed?.toLowerCase();
    const begun =
      start === undefined ? [] : [...this.#earlier.names].filter((name) => name.toLowerCase().startsWith(start));
    const before = this.#earlier.declare(new Set([...this.#mentioned(code), ...begun]), own);
    return this.#checker.ask(method, cellText(code, before), positionIn(code, offset));
  }

  async #check(code: string, reading: CellReading, tools: Tools): Promise<Checked> {
    const { syntax, names } = reading;
    this.#look(code, tools);
    this.#checker.need({ node: this.#needsNode(code, reading), packages: mentionsPreload(code) });
    const implied = tools.impliedNames(syntax, this.#options.emit);
    const open = [...new Set([...syntax.references.map(({ name }) => name), ...syntax.typeNames, ...implied])];
    const textOf = (shown: string) => cellText(shown, this.#earlier.declare(open, names), names);
    let text = textOf(code);
    let problems = await this.#checker.problems(text);
    if (problems.length > 0 && !this.#checker.needs.node) {
      this.#checker.need({ node: true, packages: false });
      problems = await this.#checker.problems(text);
    }
    if (!problems.some((problem) => problem.code === noSuchModule)) return { text, problems };
    const { rest, declarations } = tools.ambientModules(code, syntax);
    const forget = this.#earlier.addAmbient(declarations);
    text = textOf(rest);
    return { text, problems: await this.#checker.problems(text), forget };
  }

  /** Node's types are read when a cell mentions something that they may declare. */
  #needsNode(code: string, { syntax, names }: CellReading): boolean {
    const isOwn = (name: string) => names.values.has(name) || names.types.has(name) || names.ambient.has(name);
    const isKnown = (name: string) => this.#earlier.has(name) || isOwn(name);
    return (
      syntax.sites.some(({ kind }) => kind === "import" || kind === "importMeta") ||
      syntax.program.body.some(({ type }) => /^(Import|ExportAll|TSImport)/.test(type)) ||
      syntax.references.some(({ name, start }) => !isKnown(name) && isOfNode(name, code, start)) ||
      [...syntax.typeNames].some((name) => !isKnown(name) && isOfNode(name, code))
    );
  }

  /** The compiler's words for what oxc finds, or else oxc's. What names mean in such code is of no interest. */
  async #syntaxProblems(code: string, message: string, offset: number): Promise<readonly Problem[]> {
    const text = cellText(code, this.#earlier.declare(this.#mentioned(code)));
    const found = await this.#checker.problems(text);
    const { line, character } = positionIn(code, offset);
    const isThere = ({ range: { start } }: ServerProblem) => start.line === line && start.character === character;
    const told = found.some(isOfSyntax) ? found.filter(isOfSyntax) : found.filter(isThere);
    if (told.length > 0) return this.#describe(told, code);
    return [{ position: { line, column: character + 1 }, message }];
  }

  #mentioned(code: string): ReadonlySet<string> {
    return new Set((code.match(identifiers) ?? []).filter((name) => this.#earlier.has(name)));
  }

  /** Has the compiler know of files that have changed. */
  #look(code: string, tools: Tools): void {
    const watched = this.#lookForChanges(tools);
    if (/\b(import|from|require)\b/.test(code)) watched.add(tools.moduleSpecifiers(code, this.#path), this.#path);
  }

  #lookForChanges(tools: Tools): WatchedModules {
    this.#watched ??= new tools.WatchedModules((specifier, from) => this.findModule(specifier, from));
    const changes = this.#watched.look();
    if (changes.length > 0) {
      this.#ahead.outdate();
      this.#kinds.forget();
    }
    this.#checker.tellChanges(changes);
    return this.#watched;
  }

  #describe(problems: readonly ServerProblem[], code: string): readonly Problem[] {
    const earlier = this.#earlier;
    return describeProblems(
      problems,
      code,
      (message) => earlier.nameCells(message),
      (name) => earlier.hasValue(name),
    );
  }

  #refuse(problems: readonly Problem[], code: string, name: string): Compilation {
    if (problems.length === 0) return { status: "error", error: kernelError("The cell cannot be compiled.") };
    return { status: "error", error: problemError(problems, code, name) };
  }
}

interface Checked {
  /** What the compiler has seen. */
  readonly text: string;
  readonly problems: readonly ServerProblem[];
  /** Takes back what the check has left. */
  readonly forget?: () => void;
}
