import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import type {
  DidChangeNotebookDocumentParams,
  DidOpenNotebookDocumentParams,
  Location,
  NotebookCell,
  Position,
  Range,
  TextDocumentContentChangeEvent,
  TextDocumentItem,
  WorkspaceEdit,
} from "vscode-languageserver-protocol";
import { ArgumentError } from "../../core/errors.js";
import { readSafely } from "../../core/show-value.js";
import { withPart } from "../../kernel/engine/cell/cell-positions.js";
import { codeCompleteness } from "../../kernel/engine/typescript/analyze/syntax.js";
import { NotebookLanguage } from "../../kernel/engine/typescript/notebook/notebook-language.js";
import { type ScriptCode, scriptCode } from "../../notebook/file/percent-script.js";

/** A code cell of an open document. */
interface OpenCell {
  /** Its key in the language service: for notebooks its own URI, for scripts the URI and its number. */
  readonly key: string;
  readonly code: string;
  /** Its document, and its first line there. */
  readonly uri: string;
  readonly firstLine: number;
}

/** A position in a cell. */
export interface CellPosition {
  readonly key: string;
  readonly position: Position;
}

const codeCell = 2;
const languages: ReadonlySet<string> = new Set(["typescript", "typescriptreact"]);

/** A notebook, or a script with cells, and its language service. */
export class OpenNotebook {
  readonly #directory: string;
  #language: NotebookLanguage;
  #cells: readonly OpenCell[] = [];
  #version = 0;

  constructor(directory: string) {
    this.#directory = directory;
    this.#language = new NotebookLanguage(directory);
  }

  /** The language service for the current cells. */
  get language(): NotebookLanguage {
    return this.#language;
  }

  get cells(): readonly OpenCell[] {
    return this.#cells;
  }

  /** Changes whenever answers may change. */
  get version(): number {
    return this.#version;
  }

  update(cells: readonly OpenCell[]): void {
    this.#cells = cells;
    this.refresh();
  }

  /** Reads files next to the notebook again. */
  refresh(): void {
    this.#version += 1;
    if (this.#language.isOutdated) {
      this.#language.close();
      this.#language = new NotebookLanguage(this.#directory);
    }
    this.#language.update(this.#cells.map(({ key, code }) => ({ uri: key, code })));
  }

  /** The cell at a position of a document; undefined outside of code. */
  find(uri: string, { line, character }: Position): CellPosition | undefined {
    const cell = this.#cells.findLast((each) => each.uri === uri && each.firstLine <= line);
    if (!cell || line - cell.firstLine >= cell.code.split("\n").length) return undefined;
    return { key: cell.key, position: { line: line - cell.firstLine, character } };
  }

  /** Converts a range of a cell to its document. */
  range(key: string, { start, end }: Range): Range {
    const firstLine = this.#cell(key)?.firstLine ?? 0;
    const moved = ({ line, character }: Position) => ({ line: line + firstLine, character });
    return { start: moved(start), end: moved(end) };
  }

  /** Converts a range of a document to a cell, cut at the start of the cell. */
  rangeIn(key: string, { start, end }: Range): Range {
    const firstLine = this.#cell(key)?.firstLine ?? 0;
    const moved = ({ line, character }: Position) =>
      line < firstLine ? { line: 0, character: 0 } : { line: line - firstLine, character };
    return { start: moved(start), end: moved(end) };
  }

  location({ uri: key, range }: Location): Location {
    return { uri: this.#cell(key)?.uri ?? key, range: this.range(key, range) };
  }

  edit({ changes = {} }: WorkspaceEdit): WorkspaceEdit {
    const moved: Record<string, { range: Range; newText: string }[]> = {};
    for (const [key, edits] of Object.entries(changes)) {
      const { uri } = this.location({ uri: key, range: edits[0]?.range ?? nowhere });
      moved[uri] ??= [];
      moved[uri].push(...edits.map((each) => ({ ...each, range: this.range(key, each.range) })));
    }
    return { changes: moved };
  }

  close(): void {
    this.#language.close();
  }

  #cell(key: string): OpenCell | undefined {
    return this.#cells.find((each) => each.key === key);
  }
}

const nowhere: Range = { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } };

/** A notebook in the client's state. */
interface SyncedNotebook {
  readonly open: OpenNotebook;
  /** Cells in order, including cells without code. */
  cells: readonly NotebookCell[];
}

/** Documents that the client has open: notebooks with their cells, and scripts with cells between `// %%`. */
export class OpenDocuments {
  readonly #notebooks = new Map<string, SyncedNotebook>();
  /** Text of cells and scripts. */
  readonly #texts = new Map<string, Pick<TextDocumentItem, "languageId" | "text">>();
  /** Scripts by URI. */
  readonly #scripts = new Map<string, OpenNotebook>();
  /** Folder assumed for unsaved documents. */
  readonly #directory: string;

  constructor(directory: string) {
    this.#directory = directory;
  }

  get all(): readonly OpenNotebook[] {
    return [...[...this.#notebooks.values()].map(({ open }) => open), ...this.#scripts.values()];
  }

  /** The notebook or script with a document. */
  of(uri: string): OpenNotebook | undefined {
    return this.#scripts.get(uri) ?? this.#notebookOf(uri)?.open;
  }

  openNotebook({ notebookDocument, cellTextDocuments }: DidOpenNotebookDocumentParams): OpenNotebook {
    const { uri, cells } = notebookDocument;
    this.closeNotebook(uri);
    for (const { uri: cell, languageId, text } of cellTextDocuments) this.#texts.set(cell, { languageId, text });
    const synced = { open: new OpenNotebook(this.#directoryOf(uri)), cells };
    this.#notebooks.set(uri, synced);
    return this.#synced(synced);
  }

  /** @throws ArgumentError if the notebook is not open, or if a changed cell is missing */
  changeNotebook({ notebookDocument, change }: DidChangeNotebookDocumentParams): OpenNotebook {
    const synced = this.#notebooks.get(notebookDocument.uri);
    if (!synced) throw notOpen(notebookDocument.uri);
    const { structure, data = [], textContent = [] } = change.cells ?? {};
    if (structure) {
      const { start, deleteCount, cells = [] } = structure.array;
      synced.cells = synced.cells.toSpliced(start, deleteCount, ...cells);
      for (const { uri, languageId, text } of structure.didOpen ?? []) this.#texts.set(uri, { languageId, text });
      for (const { uri } of structure.didClose ?? []) this.#texts.delete(uri);
    }
    if (data.length > 0) {
      const changed = new Map(data.map((cell) => [cell.document, cell]));
      synced.cells = synced.cells.map((cell) => changed.get(cell.document) ?? cell);
    }
    for (const { document, changes } of textContent) this.#change(document.uri, changes);
    return this.#synced(synced);
  }

  /** Closes a notebook and returns it if it was open. */
  closeNotebook(uri: string): OpenNotebook | undefined {
    const synced = this.#notebooks.get(uri);
    if (!synced) return undefined;
    this.#notebooks.delete(uri);
    for (const { document } of synced.cells) this.#texts.delete(document);
    synced.open.close();
    return synced.open;
  }

  /** Ignores cells: clients send them with their notebook, and some as a separate document, too. */
  openText({ uri, languageId, text }: TextDocumentItem): OpenNotebook | undefined {
    if (this.#isCell(uri)) return undefined;
    this.#texts.set(uri, { languageId, text });
    return this.#script(uri);
  }

  /** @throws ArgumentError if the document is not open */
  changeText(uri: string, changes: readonly TextDocumentContentChangeEvent[]): OpenNotebook | undefined {
    if (this.#isCell(uri)) return undefined;
    this.#change(uri, changes);
    return this.#script(uri);
  }

  closeText(uri: string): OpenNotebook | undefined {
    if (this.#isCell(uri)) return undefined;
    const script = this.#scripts.get(uri);
    this.#scripts.delete(uri);
    this.#texts.delete(uri);
    script?.close();
    return script;
  }

  close(): void {
    for (const open of this.all) open.close();
  }

  #isCell(uri: string): boolean {
    return this.#notebookOf(uri) !== undefined;
  }

  #notebookOf(uri: string): SyncedNotebook | undefined {
    return [...this.#notebooks.values()].find(({ cells }) => cells.some(({ document }) => document === uri));
  }

  #change(uri: string, changes: readonly TextDocumentContentChangeEvent[]): void {
    const current = this.#texts.get(uri);
    if (!current) throw notOpen(uri);
    this.#texts.set(uri, { ...current, text: changes.reduce(afterChange, current.text) });
  }

  #synced({ open, cells }: SyncedNotebook): OpenNotebook {
    const code = cells.flatMap(({ kind, document: uri }): readonly OpenCell[] => {
      const text = this.#texts.get(uri);
      if (kind !== codeCell || !text || !languages.has(text.languageId)) return [];
      return [{ key: uri, uri, firstLine: 0, code: text.text }];
    });
    open.update(code);
    return open;
  }

  /**
   * A document becomes a script with its first `// %%` and stays a script. The script of a notebook is one from the
   * start.
   */
  #script(uri: string): OpenNotebook | undefined {
    const { languageId = "", text = "" } = this.#texts.get(uri) ?? {};
    const read = uri.endsWith(".ipynb") ? joinedCells : scriptCode;
    const parts = languages.has(languageId) ? read(text) : [];
    const current = this.#scripts.get(uri);
    if (!current && parts.length === 0) return undefined;
    const open = current ?? new OpenNotebook(this.#directoryOf(uri));
    this.#scripts.set(uri, open);
    open.update(parts.map((part, index) => ({ ...part, key: `${uri}#${index}`, uri })));
    return open;
  }

  #directoryOf(uri: string): string {
    const path = pathOf(uri);
    return path === undefined ? this.#directory : dirname(path);
  }
}

/** The path of a file URI; undefined for other URIs and for URIs of files without a valid path. */
export function pathOf(uri: string): string | undefined {
  return uri.startsWith("file:") ? readSafely(() => fileURLToPath(uri), undefined) : undefined;
}

/** Separator that jupyterlab-lsp writes between two cells, after the last line of the first one. */
const BETWEEN_CELLS = "\n\n\n";

/**
 * The cells of a notebook that a client sends as one document, as jupyterlab-lsp does, with two blank lines between
 * them. A cell can contain such lines where it cannot end.
 */
function joinedCells(text: string): readonly ScriptCode[] {
  const parts = text.split(BETWEEN_CELLS);
  const cells: ScriptCode[] = [];
  let firstLine = 0;
  for (let at = 0; at < parts.length; ) {
    const code = cellFrom(parts, at);
    cells.push({ firstLine, code });
    firstLine += code.split("\n").length + BETWEEN_CELLS.length - 1;
    at += code.split(BETWEEN_CELLS).length;
  }
  return cells;
}

/** The cell that begins with a part. The user is still editing a cell without an end. */
function cellFrom(parts: readonly string[], at: number): string {
  const first = parts[at] as string;
  if (codeCompleteness(first, "ts").status !== "incomplete") return first;
  let code = first;
  for (const part of parts.slice(at + 1)) {
    code += BETWEEN_CELLS + part;
    if (codeCompleteness(code, "ts").status === "complete") return code;
  }
  return first;
}

function notOpen(uri: string): ArgumentError {
  return new ArgumentError(`The document ${uri} is not open.`, {
    hint: "Open it first: textDocument/didOpen.",
    facts: { uri },
  });
}

/** The text after a change of a range, or of the whole text. */
function afterChange(text: string, change: TextDocumentContentChangeEvent): string {
  return "range" in change && change.range ? withPart(text, change.range, change.text) : change.text;
}
