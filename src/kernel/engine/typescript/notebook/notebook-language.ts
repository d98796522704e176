import { join } from "node:path";
import type {
  CodeAction,
  CompletionContext,
  CompletionItem,
  CompletionList,
  Diagnostic,
  DiagnosticRelatedInformation,
  DocumentHighlight,
  Hover,
  Location,
  Position,
  Range,
  SignatureHelp,
  SignatureHelpContext,
  TextEdit,
  WorkspaceEdit,
} from "vscode-languageserver-protocol";
import { ArgumentError, SiteframeError } from "../../../../core/errors.js";
import { showValue } from "../../../../core/show-value.js";
import { lineEnd, withPart } from "../../cell/cell-positions.js";
import { fileVersion } from "../../cell/local-files.js";
import { isReadable } from "../analyze/syntax.js";
import { globalsFile, projectFile } from "../check/cell-project.js";
import { type CheckerOptions, CompilerDocuments } from "../check/compiler-documents.js";
import { type FoundProblem, rewordProblem, syntaxProblems } from "../check/describe-problems.js";
import { nameCells, ownFiles, positionIn } from "../check/earlier-cells.js";
import { serverSettings, splitHover, userPreferences, withoutTags } from "../check/language-server.js";
import { readNotebookOptions } from "../check/notebook-options.js";
import { removeStaleFolders } from "../check/stale-folders.js";
import { problemsOf } from "../check/type-checker.js";
import { TypesFolder } from "../check/types-folder.js";
import { awaitFix } from "./await-fix.js";
import {
  CellLocations,
  cellRange,
  changesOf,
  endOf,
  type FilePosition,
  type Found,
  locationOf,
  locations,
  serverPosition,
  serverRange,
} from "./cell-locations.js";
import { type NotebookCell, NotebookText, type ReachableName, type ShownCell } from "./notebook-text.js";

/** A name cannot be changed: it belongs to a package or to all cells, or the new name is invalid. */
export class RenameError extends SiteframeError {
  /**
   * @param name the name to change
   * @param refused the invalid new name, and the number of a cell that could not be parsed with it
   */
  constructor(name: string, refused?: { readonly newName: string; readonly cell: number }) {
    const problem = refused
      ? `cannot be renamed to ${showValue(refused.newName)}: cell ${refused.cell} would be invalid`
      : "is not declared in a cell and cannot be renamed";
    super("ERR_RENAME", `"${name}" ${problem}.`, {
      hint: refused
        ? "Use an unused name with letters, digits, _ and $ only."
        : "Declare a variable with its value and rename that.",
      facts: { name, ...refused },
    });
  }
}

/** The subject of a request no longer exists. */
export class ContentModifiedError extends SiteframeError {
  constructor() {
    super("ERR_CONTENT_MODIFIED", "The notebook has changed since the request.", { hint: "Try again." });
  }
}

/** Capabilities of editors. Snippets and links are disabled, so that every editor can show the results. */
const editorSettings = serverSettings({
  diagnostic: { relatedInformation: true },
  completion: {
    contextSupport: true,
    completionItem: {
      documentationFormat: ["markdown"],
      labelDetailsSupport: true,
      resolveSupport: { properties: ["documentation", "detail"] },
    },
  },
  hover: { contentFormat: ["markdown"] },
  signatureHelp: {
    contextSupport: true,
    signatureInformation: { documentationFormat: ["markdown"], activeParameterSupport: true },
  },
  codeAction: { codeActionLiteralSupport: { codeActionKind: { valueSet: ["quickfix"] } } },
  rename: { prepareSupport: true },
});

/** As numbers of the protocol. */
const errorSeverity = 1;
const itemKinds = { variable: 6, constant: 21, type: 7, module: 9 } as const;
/** Offered wherever a name is allowed, and not as a member. */
const everywhere = "globalThis";
/** Sorts names of earlier cells after names of the cell and before global names. */
const earlierSort = "12";

type Place = "definition" | "typeDefinition";

/** Data of a completion until it is resolved: the compiler's own data, or the name of an earlier cell. */
interface CompletionData {
  readonly compiler?: unknown;
  readonly earlier?: { readonly name: string; readonly file: string };
}

/**
 * Language features for editing a notebook: the errors in its cells, and the meaning and positions of names. No code
 * runs. Each cell means what it would if all cells ran in order.
 *
 * Positions are those of the Language Server Protocol 3.17: lines and UTF-16 units from 0, in a cell's own text. All
 * requests about an unknown cell reject with `ArgumentError`.
 */
export class NotebookLanguage {
  readonly #folder: TypesFolder;
  readonly #text: NotebookText;
  readonly #documents: CompilerDocuments;
  readonly #settingsFile: string;
  readonly #settingsVersion: string | undefined;
  #locations: CellLocations;
  #shown: ReadonlySet<string> = new Set();
  /** Number of pending requests that need possible imports. */
  #importing = 0;

  /**
   * @param directory the folder of the notebook
   * @throws NoCompilerError if the platform has no compiler
   */
  constructor(directory: string, options: CheckerOptions = {}) {
    const settings = readNotebookOptions(directory);
    this.#settingsFile = join(directory, "tsconfig.json");
    this.#settingsVersion = fileVersion(this.#settingsFile);
    this.#folder = new TypesFolder(directory);
    this.#locations = new CellLocations(this.#folder.path, []);
    this.#text = new NotebookText(this.#folder, settings, directory);
    const { root, extension } = this.#text;
    const files = [root, globalsFile].map((file) => this.#folder.write(file, ""));
    this.#folder.write("tsconfig.json", projectFile(this.#folder, settings.project, files));
    this.#documents = new CompilerDocuments(this.#folder.path, extension, { ...options, settings: editorSettings });
    this.update([]);
    this.#documents.warm(root);
    removeStaleFolders();
  }

  /** Whether the folder's `tsconfig.json` has changed since this was made. */
  get isOutdated(): boolean {
    return fileVersion(this.#settingsFile) !== this.#settingsVersion;
  }

  /** Replaces the cells, in order. Later requests refer to them. */
  update(cells: readonly NotebookCell[]): void {
    this.#documents.tellChanges(this.#text.look());
    const texts = this.#text.update(cells);
    for (const [file, text] of texts) this.#documents.show(file, text);
    for (const file of this.#shown) if (!texts.has(file)) this.#documents.hide(file);
    this.#shown = new Set(texts.keys());
    this.#locations = new CellLocations(this.#folder.path, this.#text.cells);
  }

  /** The errors in a cell: those for which the kernel would not run it. */
  async problems(uri: string): Promise<readonly Diagnostic[]> {
    const [cellLocations, cell] = [this.#locations, this.#cell(uri)];
    const reported = problemsOf(await this.#askOf(cell, "diagnostic", {}));
    const problems = cell.problem ? syntaxProblems(reported, cell.code, cell.problem) : reported;
    const wording = {
      nameCells: wordsOf(cellLocations),
      isEarlier: (name: string) => cell.borrowed.some((each) => each.name === name),
    };
    return problems.map((problem) => diagnosticOf(rewordProblem(problem, wording), cell, cellLocations));
  }

  /** Describes a name, with its documentation. */
  async hover(uri: string, position: Position): Promise<Hover | undefined> {
    const [cellLocations, cell] = [this.#locations, this.#cell(uri)];
    const hover = (await this.#askOf(cell, "hover", { position: serverPosition(position) })) as Hover | null;
    const parts = splitHover(hover);
    if (!parts) return undefined;
    const range = hover?.range && cellRange(cell, hover.range);
    const signature = `\`\`\`typescript\n${wordsOf(cellLocations)(parts.signature)}\n\`\`\``;
    const value = [signature, parts.documentation].filter((part) => part !== "").join("\n\n");
    return { contents: { kind: "markdown", value }, ...(range && { range }) };
  }

  /** Returns the signatures of the function around the position. */
  async signatures(
    uri: string,
    position: Position,
    context?: SignatureHelpContext,
  ): Promise<SignatureHelp | undefined> {
    const cellLocations = this.#locations;
    const params = { position: serverPosition(position), ...(context && { context }) };
    const help = (await this.#askOf(this.#cell(uri), "signatureHelp", params)) as SignatureHelp | null;
    const words = wordsOf(cellLocations);
    return help ? mapTexts(help, (text) => withoutTags(words(text))) : undefined;
  }

  /** Returns where a name or its type is declared, in a cell or in a file. */
  async declarations(kind: Place, uri: string, position: Position): Promise<readonly Location[]> {
    const results = await this.#follow(
      { file: this.#cell(uri).file, position: serverPosition(position) },
      (filePosition) => this.#locate(kind, filePosition),
      // A variable of an earlier cell is also declared before this cell, with its type there.
      (each, cellLocations) => cellLocations.origin(each) ?? [],
    );
    return locations(results);
  }

  /** Returns all references to a name, in each cell that uses it with the same meaning, and in files. */
  async references(uri: string, position: Position, includeDeclaration: boolean): Promise<readonly Location[]> {
    const references = await this.#follow(
      { file: this.#cell(uri).file, position: serverPosition(position) },
      (filePosition) => this.#locate("references", filePosition, { context: { includeDeclaration } }),
      (each, cellLocations) => cellLocations.sameName(each),
    );
    return locations(references);
  }

  /** Returns the references to a name in its own cell. */
  async highlights(uri: string, position: Position): Promise<readonly DocumentHighlight[]> {
    const cell = this.#cell(uri);
    const highlights = await this.#askOf(cell, "documentHighlight", { position: serverPosition(position) });
    return ((highlights ?? []) as readonly DocumentHighlight[]).flatMap((each) => {
      const range = cellRange(cell, each.range);
      return range ? [{ ...each, range }] : [];
    });
  }

  /**
   * Returns the range that would be renamed.
   *
   * @throws RenameError if the name is not declared in a cell
   * @throws ServerAnswerError with the compiler's reason why it cannot be
   */
  async renamed(uri: string, position: Position): Promise<{ readonly range: Range; readonly placeholder: string }> {
    const cell = this.#cell(uri);
    const filePosition = { file: cell.file, position: serverPosition(position) };
    const [results, definitions] = await Promise.all([
      this.#askOf(cell, "prepareRename", { position: filePosition.position }),
      this.#locate("definition", filePosition),
    ]);
    const { range, placeholder = nameAt(cell, position) } = (results ?? {}) as { range?: Range; placeholder?: string };
    const inside = range && cellRange(cell, range);
    if (!inside || definitions.some(({ kind }) => kind === "own")) throw new RenameError(placeholder);
    return { range: inside, placeholder };
  }

  /**
   * Returns the edits that rename a name in each cell that uses it with the same meaning.
   *
   * @throws RenameError if the name is not declared in a cell, or a cell would be invalid with the new name
   * @throws ServerAnswerError with the compiler's reason why it cannot be
   */
  async rename(uri: string, position: Position, newName: string): Promise<WorkspaceEdit> {
    const cell = this.#cell(uri);
    const edits = await this.#follow(
      { file: cell.file, position: serverPosition(position) },
      async (filePosition) => {
        const cellLocations = this.#locations;
        return cellLocations.edits((await this.#askPlace("rename", filePosition, { newName })) as WorkspaceEdit | null);
      },
      (each, cellLocations) => cellLocations.sameName(each),
    );
    const name = nameAt(cell, position);
    if (edits.some(({ kind }) => kind === "own")) throw new RenameError(name);
    const changes = changesOf(edits.filter(({ kind }) => kind !== "around"));
    const file = `cell${this.#text.extension}`;
    const broken = this.#locations.cells.findIndex(({ uri: at, code }) => isBroken(file, code, changes[at] ?? []));
    if (broken < 0) return { changes };
    throw new RenameError(name, { newName, cell: broken + 1 });
  }

  /** Returns completions: the compiler's, and the names of earlier cells. */
  async completions(uri: string, position: Position, context?: CompletionContext): Promise<CompletionList> {
    const cell = this.#cell(uri);
    const params = { position: serverPosition(position), ...(context && { context }) };
    const answer = await this.#askOf(cell, "completion", params);
    const { isIncomplete = false, items = [] } = (answer ?? {}) as Partial<CompletionList>;
    const offered = items.filter(({ label }) => !label.startsWith(ownFiles));
    const named = new Set(offered.map(({ label }) => label));
    const mayBeName = items.some(({ label }) => label === everywhere);
    const isNew = (name: string) => mayBeName && !named.has(name) && !cell.offsets.has(name);
    const earlier = [...cell.reachable].flatMap(([name, results]) => (isNew(name) ? [earlierItem(name, results)] : []));
    return { isIncomplete, items: [...offered.map((item) => offeredItem(item, cell)), ...earlier] };
  }

  /** Adds the documentation to a completion. */
  async completion(item: CompletionItem): Promise<CompletionItem> {
    const cellLocations = this.#locations;
    const data = (item.data ?? {}) as CompletionData;
    if (data.earlier) return { ...item, ...(await this.#describe(data.earlier)) };
    const answer = (await this.#documents.ask("completionItem/resolve", {
      ...item,
      data: data.compiler,
    })) as CompletionItem;
    const { detail, documentation } = answer;
    const words = mapTexts({ detail, documentation }, (text) =>
      withoutTags(wordsOf(cellLocations)(text).replace(/^\(alias\) /, "")),
    );
    return { ...item, ...present(words) };
  }

  /** Returns fixes of the errors in a part of a cell: an `await`, or an import at its top. */
  async fixes(uri: string, range: Range, diagnostics: readonly Diagnostic[]): Promise<readonly CodeAction[]> {
    const [cellLocations, cell] = [this.#locations, this.#cell(uri)];
    const context = {
      diagnostics: diagnostics.map((each) => ({ ...each, range: serverRange(each.range) })),
      only: ["quickfix"],
    };
    const answer = await this.#withImports(() =>
      this.#askOf(cell, "codeAction", { range: serverRange(range), context }),
    );
    const awaits = diagnostics.flatMap((each) => awaitFix(uri, cell.code, each, this.#text.extension) ?? []);
    const others = ((answer ?? []) as readonly CodeAction[]).flatMap((action): readonly CodeAction[] => {
      const { title, edit, isPreferred } = action;
      const edits = cellLocations.edits(edit);
      // Names of other cells need no import.
      if (edits.length === 0 || edits.some(({ newText }) => newText.includes(ownFiles))) return [];
      const mended = diagnostics.filter((problem) => action.diagnostics?.some((each) => isSame(each, problem)));
      const facts = present({ isPreferred, diagnostics: mended.length > 0 ? [...mended] : undefined });
      return [{ title, kind: "quickfix", ...facts, edit: { changes: changesOf(edits) } }];
    });
    return [...awaits, ...others];
  }

  close(): void {
    this.#documents.close();
    this.#folder.remove();
  }

  #cell(uri: string): ShownCell {
    const cell = this.#locations.cell(uri);
    if (!cell) throw new ArgumentError(`Unknown cell: ${uri}.`, { facts: { uri } });
    return cell;
  }

  /** Sends a request for a position, and for each position that the results lead to. */
  async #follow<Answer extends Found>(
    start: FilePosition,
    ask: (filePosition: FilePosition) => Promise<readonly Answer[]>,
    lead: (results: Answer, cellLocations: CellLocations) => FilePosition | readonly FilePosition[],
  ): Promise<readonly Answer[]> {
    const cellLocations = this.#locations;
    const visited = new Map([[placeKey(start), start]]);
    const results: Answer[] = [];
    // A map also iterates over entries added meanwhile.
    for (const filePosition of visited.values()) {
      if (this.#locations !== cellLocations) throw new ContentModifiedError();
      const answers = await ask(filePosition);
      results.push(...answers);
      for (const next of answers.flatMap((each) => lead(each, cellLocations))) {
        if (!visited.has(placeKey(next))) visited.set(placeKey(next), next);
      }
    }
    return results;
  }

  async #locate(method: string, filePosition: FilePosition, more: object = {}): Promise<readonly Found[]> {
    const cellLocations = this.#locations;
    const answer = await this.#askPlace(method, filePosition, more);
    const answered = (Array.isArray(answer) ? answer : answer ? [answer] : []) as readonly Location[];
    return answered.map(({ uri, range }) => cellLocations.find(uri, range));
  }

  async #describe({ name, file }: NonNullable<CompletionData["earlier"]>): Promise<Partial<CompletionItem>> {
    const origin = this.#locations.cells.find((cell) => cell.file === file);
    const offset = origin?.offsets.get(name);
    if (!origin || offset === undefined) return {};
    const words = wordsOf(this.#locations);
    const position = positionIn(origin.code, offset);
    const parts = splitHover(await this.#askOf(origin, "hover", { position }));
    if (!parts) return {};
    return {
      detail: words(parts.signature),
      ...(parts.documentation !== "" && { documentation: { kind: "markdown", value: parts.documentation } }),
    };
  }

  /**
   * Enables auto-imports in the compiler during a request. If always enabled, each edit of a notebook of 100 cells
   * would take ten times as long, because names could be imported from each of the cells.
   */
  async #withImports<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
    this.#importing += 1;
    if (this.#importing === 1) this.#documents.prefer(userPreferences(true));
    try {
      return await ask();
    } finally {
      this.#importing -= 1;
      if (this.#importing === 0) this.#documents.prefer(userPreferences(false));
    }
  }

  #askOf({ file }: ShownCell, method: string, params: object): Promise<unknown> {
    return this.#askFile(file, method, params);
  }

  #askPlace(method: string, { file, position }: FilePosition, more: object): Promise<unknown> {
    return this.#askFile(file, method, { position, ...more });
  }

  /** Undefined for a cell that the compiler does not see. */
  async #askFile(file: string, method: string, params: object): Promise<unknown> {
    if (this.#text.cells.some((cell) => cell.file === file && cell.isTooDeep)) return null;
    return this.#documents.ask(`textDocument/${method}`, {
      textDocument: { uri: this.#documents.uri(file) },
      ...params,
    });
  }
}

function placeKey({ file, position: { line, character } }: FilePosition): string {
  return `${file} ${line} ${character}`;
}

/** Replaces file names of cells in the compiler's text by cell numbers. */
function wordsOf({ cells }: CellLocations): (text: string) => string {
  const cellNames = new Map(
    cells.map(({ file }, index) => [file.slice(0, file.lastIndexOf(".")), `cell ${index + 1}`]),
  );
  return (text) => nameCells(text, (file) => cellNames.get(`${ownFiles}${file}`));
}

function diagnosticOf(problem: FoundProblem, cell: ShownCell, cellLocations: CellLocations): Diagnostic {
  const { range, code, message, relatedInformation = [] } = problem;
  const end = endOf(cell);
  const related = relatedInformation.flatMap(({ location, message: text }): DiagnosticRelatedInformation[] => {
    const results = locationOf(cellLocations.find(location.uri, location.range));
    return results ? [{ location: results, message: wordsOf(cellLocations)(text) }] : [];
  });
  return {
    // A problem at the end of a cell may be reported for the code after it.
    range: cellRange(cell, range) ?? { start: end, end },
    severity: errorSeverity,
    source: "siteframe",
    message,
    ...present({ code, relatedInformation: related.length > 0 ? related : undefined }),
  };
}

/** Whether a compiler's diagnostic is this one of a cell. */
function isSame({ code, range: { start } }: Diagnostic, other: Diagnostic): boolean {
  const position = serverPosition(other.range.start);
  return code === other.code && start.line === position.line && start.character === position.character;
}

/** The name at a position of a cell, for an error. */
function nameAt({ code }: ShownCell, { line, character }: Position): string {
  const text = code.split(lineEnd)[line] ?? "";
  const before = text.slice(0, character).replace(/^.*[^\p{ID_Continue}$]/u, "");
  return before + text.slice(character).replace(/[^\p{ID_Continue}$].*$/u, "");
}

/** Whether edits would make a valid cell invalid: the new text is not a name, or it is already declared. */
function isBroken(file: string, code: string, edits: readonly TextEdit[]): boolean {
  return edits.length > 0 && isReadable(file, code) && !isReadable(file, edited(code, edits));
}

/** Last first, so that positions stay valid. */
function edited(code: string, edits: readonly TextEdit[]): string {
  return [...edits]
    .sort(({ range: { start: a } }, { range: { start: b } }) => b.line - a.line || b.character - a.character)
    .reduce((text, { range, newText }) => withPart(text, range, newText), code);
}

function offeredItem({ data, textEdit, ...item }: CompletionItem, cell: ShownCell): CompletionItem {
  const kept: CompletionData = { compiler: data };
  const range = textEdit && "range" in textEdit ? cellRange(cell, textEdit.range) : undefined;
  return { ...item, data: kept, ...(textEdit && range && { textEdit: { range, newText: textEdit.newText } }) };
}

function earlierItem(name: string, { file, kind }: ReachableName): CompletionItem {
  const data: CompletionData = { earlier: { name, file } };
  return { label: name, kind: itemKinds[kind], sortText: earlierSort, data };
}

/** The defined properties of an object. */
function present<Facts extends object>(facts: Facts): { [Key in keyof Facts]?: Exclude<Facts[Key], undefined> } {
  return Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined)) as never;
}

/** A value with all strings in it, at any depth, replaced. */
function mapTexts<Value>(value: Value, change: (text: string) => string): Value {
  if (typeof value === "string") return change(value) as Value;
  if (Array.isArray(value)) return value.map((each: unknown) => mapTexts(each, change)) as Value;
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, mapTexts(each, change)])) as Value;
}
