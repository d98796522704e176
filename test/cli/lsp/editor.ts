import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect } from "vitest";
import {
  type ClientCapabilities,
  createProtocolConnection,
  type Diagnostic,
  type InitializeResult,
  type NotebookCell,
  type Position,
  type ProtocolConnection,
  type TextDocumentContentChangeEvent,
} from "vscode-languageserver-protocol/node";
import { program } from "../run-siteframe.js";

interface EditedCell {
  readonly uri: string;
  text: string;
}

/** An editor with one notebook open, as far as a language server sees it. */
export class Editor {
  readonly folder = mkdtempSync(join(realpathSync(tmpdir()), "siteframe-editor-"));
  readonly notebook = pathToFileURL(join(this.folder, "notebook.ipynb")).href;
  readonly process: ChildProcessWithoutNullStreams;
  readonly connection: ProtocolConnection;
  /** The last published diagnostics by document. */
  readonly published = new Map<string, readonly Diagnostic[]>();
  /** Number of publications. */
  publications = 0;
  readonly refreshes: number[] = [];
  cells: EditedCell[] = [];
  #made = 0;
  #version = 1;

  constructor() {
    this.process = spawn(process.execPath, [program, "lsp", "--stdio"]);
    this.connection = createProtocolConnection(this.process.stdout, this.process.stdin);
    this.connection.onNotification("textDocument/publishDiagnostics", ({ uri, diagnostics }) => {
      this.published.set(uri, diagnostics);
      this.publications += 1;
    });
    this.connection.onRequest("workspace/diagnostic/refresh", () => {
      this.refreshes.push(Date.now());
      return null;
    });
    this.connection.listen();
  }

  async initialize(capabilities: ClientCapabilities = {}): Promise<InitializeResult> {
    const params = { processId: process.pid, rootUri: pathToFileURL(this.folder).href, capabilities };
    const result: InitializeResult = await this.connection.sendRequest("initialize", params);
    await this.connection.sendNotification("initialized", {});
    return result;
  }

  /** Ends the server as editors do. @returns its exit code */
  async end(): Promise<number | null> {
    const ended = new Promise<number | null>((resolve) => this.process.once("exit", resolve));
    await this.connection.sendRequest("shutdown");
    await this.connection.sendNotification("exit");
    const code = await ended;
    this.connection.dispose();
    rmSync(this.folder, { recursive: true, force: true });
    return code;
  }

  async open(...texts: readonly string[]): Promise<void> {
    this.cells = texts.map((text) => this.#cell(text));
    await this.connection.sendNotification("notebookDocument/didOpen", {
      notebookDocument: {
        uri: this.notebook,
        notebookType: "jupyter-notebook",
        version: 1,
        cells: this.cells.map(notebookCell),
      },
      cellTextDocuments: this.cells.map((cell) => textDocument(cell)),
    });
  }

  async close(): Promise<void> {
    await this.connection.sendNotification("notebookDocument/didClose", {
      notebookDocument: { uri: this.notebook },
      cellTextDocuments: this.cells.map(({ uri }) => ({ uri })),
    });
    this.cells = [];
  }

  /** Replaces the part of a cell that differs from `text`. */
  async edit(at: number, text: string): Promise<void> {
    const cell = this.cell(at);
    const change = differingPart(cell.text, text);
    cell.text = text;
    await this.#change({
      textContent: [{ document: { uri: cell.uri, version: ++this.#version }, changes: [change] }],
    });
  }

  async insert(at: number, text: string): Promise<void> {
    const cell = this.#cell(text);
    this.cells.splice(at, 0, cell);
    const array = { start: at, deleteCount: 0, cells: [notebookCell(cell)] };
    await this.#change({ structure: { array, didOpen: [textDocument(cell)] } });
  }

  async remove(at: number): Promise<void> {
    const { uri } = this.cell(at);
    this.cells.splice(at, 1);
    await this.#change({ structure: { array: { start: at, deleteCount: 1 }, didClose: [{ uri }] } });
  }

  /** Moves a cell as VS Code does: all cells between the positions are sent again. */
  async move(from: number, to: number): Promise<void> {
    const [cell] = this.cells.splice(from, 1);
    if (cell) this.cells.splice(to, 0, cell);
    const [start, end] = [Math.min(from, to), Math.max(from, to) + 1];
    const array = { start, deleteCount: end - start, cells: this.cells.slice(start, end).map(notebookCell) };
    await this.#change({ structure: { array } });
  }

  cell(at: number): EditedCell {
    const cell = this.cells[at];
    if (!cell) throw new TypeError(`missing cell: ${at}`);
    return cell;
  }

  /** Parameters for the position of `mark` in a cell, plus an offset. */
  at(cell: number, mark: string, further = 0): { textDocument: { uri: string }; position: Position } {
    const { uri, text } = this.cell(cell);
    const offset = text.indexOf(mark);
    if (offset < 0) throw new TypeError(`${JSON.stringify(mark)} is not in cell ${cell}`);
    return { textDocument: { uri }, position: placeOf(text, offset + further) };
  }

  ask(method: string, params: object): Promise<unknown> {
    return this.connection.sendRequest(method, params);
  }

  /** Requests the errors of a cell: `line:column name` and the message. */
  async errors(at: number): Promise<readonly string[]> {
    const { uri, text } = this.cell(at);
    const report = (await this.ask("textDocument/diagnostic", { textDocument: { uri } })) as { items: Diagnostic[] };
    return report.items.map((problem) => shown(problem, text));
  }

  /** Waits until the published errors of a cell are as expected. */
  async expectPublished(at: number, expected: readonly string[]): Promise<void> {
    const { uri, text } = this.cell(at);
    await expect
      .poll(() => this.published.get(uri)?.map((problem) => shown(problem, text)) ?? [], { interval: 10 })
      .toEqual(expected);
  }

  /** The code of the cells after an edit. */
  edited(edit: { readonly changes?: Readonly<Record<string, readonly unknown[]>> }): readonly string[] {
    return this.cells.map(({ uri, text }) => applied(text, (edit.changes?.[uri] ?? []) as readonly TextEdit[]));
  }

  #cell(text: string): EditedCell {
    return { uri: `vscode-notebook-cell:${new URL(this.notebook).pathname}#c${this.#made++}`, text };
  }

  async #change(cells: object): Promise<void> {
    await this.connection.sendNotification("notebookDocument/didChange", {
      notebookDocument: { uri: this.notebook, version: ++this.#version },
      change: { cells },
    });
  }
}

interface TextEdit {
  readonly range: { readonly start: Position; readonly end: Position };
  readonly newText: string;
}

function shown({ range: { start }, code, message }: Diagnostic, text: string): string {
  const line = text.split("\n")[start.line] ?? "";
  const found = /^[\p{ID_Continue}$]*/u.exec(line.slice(start.character))?.[0] ?? "";
  return `${start.line}:${start.character} ${found} ${code === undefined ? "" : `TS${code}: `}${message}`;
}

function notebookCell({ uri }: EditedCell): NotebookCell {
  return { kind: 2, document: uri };
}

function textDocument({ uri, text }: EditedCell) {
  return { uri, languageId: "typescript", version: 1, text };
}

function placeOf(text: string, offset: number): Position {
  const lines = text.slice(0, offset).split("\n");
  return { line: lines.length - 1, character: lines.at(-1)?.length ?? 0 };
}

function offsetOf(text: string, { line, character }: Position): number {
  return text.split("\n").slice(0, line).join("\n").length + (line > 0 ? 1 : 0) + character;
}

function applied(text: string, edits: readonly TextEdit[]): string {
  const last = (edit: TextEdit) => -offsetOf(text, edit.range.start);
  return [...edits]
    .sort((a, b) => last(a) - last(b))
    .reduce(
      (now, { range, newText }) =>
        now.slice(0, offsetOf(text, range.start)) + newText + now.slice(offsetOf(text, range.end)),
      text,
    );
}

function differingPart(before: string, after: string): TextDocumentContentChangeEvent {
  let start = 0;
  while (start < before.length && before[start] === after[start]) start += 1;
  let same = 0;
  const most = Math.min(before.length, after.length) - start;
  while (same < most && before.at(-1 - same) === after.at(-1 - same)) same += 1;
  const range = { start: placeOf(before, start), end: placeOf(before, before.length - same) };
  return { range, text: after.slice(start, after.length - same) };
}
