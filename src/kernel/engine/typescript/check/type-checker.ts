import { globalsFile, globalsText, type Needs, type ProjectOptions, projectFile } from "./cell-project.js";
import { type CheckerOptions, CompilerDocuments, type FileChange } from "./compiler-documents.js";
import { linesBefore, ownFiles } from "./earlier-cells.js";
import type { TypesFolder } from "./types-folder.js";

/** A place as the language server has it: line and column, in UTF-16 units, from 0. */
export interface ServerPosition {
  readonly line: number;
  readonly character: number;
}

/** What the language server says that a name in a text is, such as `class`. */
export interface ServerToken extends ServerPosition {
  readonly type: string | undefined;
}

interface ServerRange {
  readonly start: ServerPosition;
  readonly end: ServerPosition;
}

/** An error as the language server tells it. */
export interface ServerProblem {
  readonly range: ServerRange;
  readonly severity: number;
  readonly code: number;
  readonly message: string;
  /** Other places that have to do with it, where they were asked for. */
  readonly relatedInformation?: readonly {
    readonly location: { readonly uri: string; readonly range: ServerRange };
    readonly message: string;
  }[];
}

const isError = 1;
const changed = 2;

/** Asks the compiler about one text at a time, the cell in question, in the light of the files beside it. */
export class TypeChecker {
  readonly #folder: TypesFolder;
  readonly #documents: CompilerDocuments;
  /** The name of the file that the cell in question is. */
  readonly #cell: string;
  #needs: Needs & { readonly preloads: ReadonlySet<string> } = { node: false, preloads: new Set() };
  /** Resolves when the compiler is at work. */
  readonly started: Promise<void>;

  /** @param extension of the files of cells, with its dot */
  constructor(folder: TypesFolder, options: ProjectOptions, extension: string, run: CheckerOptions = {}) {
    this.#folder = folder;
    this.#documents = new CompilerDocuments(folder.path, extension, run);
    this.#cell = `${ownFiles}cell${extension}`;
    const cell = folder.write(this.#cell, "");
    this.#writeGlobals();
    folder.write("tsconfig.json", projectFile(folder, options, [cell, globalsFile]));
    this.#documents.show(this.#cell, "");
    // The first question has the libraries read, so it is asked before there is a cell.
    this.started = this.#documents.warm(this.#cell);
  }

  /** What has been declared so far. */
  get needs(): Needs {
    return this.#needs;
  }

  /** Sees to it that what a cell needs is declared, from now on. */
  need({ node, preloads }: Needs): void {
    const before = this.#needs;
    const wanted = { node: before.node || node, preloads: new Set([...before.preloads, ...preloads]) };
    if (wanted.node === before.node && wanted.preloads.size === before.preloads.size) return;
    this.#needs = wanted;
    this.tellChanges([{ path: this.#writeGlobals(), type: changed }]);
  }

  /** Tells of files that have changed. */
  tellChanges(changes: readonly FileChange[]): void {
    this.#documents.tellChanges(changes);
  }

  /** The errors in a cell, as `cellText` has it. */
  async problems(text: string): Promise<readonly ServerProblem[]> {
    return problemsOf(await this.#ask("textDocument/diagnostic", text));
  }

  /**
   * The errors in a file of the folder, one of several that the compiler reads together: for each text anew it puts all
   * that there is together anew, which takes longer than looking at a cell.
   */
  async problemsIn(file: string, together: readonly string[]): Promise<readonly ServerProblem[]> {
    const text = together.map((each) => `import "./${each}";`).join("\n");
    const textDocument = { uri: this.#documents.uri(file) };
    return problemsOf(await this.#ask("textDocument/diagnostic", text, { textDocument }));
  }

  /** Asks about a place in a text. */
  ask(method: "completion" | "hover" | "signatureHelp", text: string, position: ServerPosition): Promise<unknown> {
    return this.#ask(`textDocument/${method}`, text, { position });
  }

  /** What the names in a text are. */
  async tokens(text: string): Promise<readonly ServerToken[]> {
    const report = await this.#ask("textDocument/semanticTokens/full", text);
    const types = await this.#documents.tokenTypes();
    return readTokens((report ?? {}) as { readonly data?: readonly number[] }, types);
  }

  /** Stops the current question, which rejects with InterruptError. */
  interrupt(): void {
    this.#documents.interrupt(this.#cell);
  }

  close(): void {
    this.#documents.close();
  }

  #ask(method: string, text: string, more: object = {}): Promise<unknown> {
    this.#documents.show(this.#cell, text);
    return this.#documents.ask(method, { textDocument: { uri: this.#documents.uri(this.#cell) }, ...more });
  }

  #writeGlobals(): string {
    return this.#folder.write(globalsFile, globalsText(this.#needs));
  }
}

/** The errors of a report about a file that is a cell, as `cellText` has it; not those in what stands before it. */
export function problemsOf(report: unknown): readonly ServerProblem[] {
  const { items = [] } = (report ?? {}) as { readonly items?: readonly ServerProblem[] };
  return items.filter(({ severity, range }) => severity === isError && range.start.line >= linesBefore);
}

/** Five numbers a token: lines and columns from the one before, its length, its type, and what else it is. */
function readTokens({ data = [] }: { readonly data?: readonly number[] }, types: readonly string[]): ServerToken[] {
  const tokens: ServerToken[] = [];
  let [line, character] = [0, 0];
  for (let at = 0; at + 4 < data.length; at += 5) {
    const [lines = 0, columns = 0, , type = 0] = data.slice(at, at + 4);
    line += lines;
    character = lines > 0 ? columns : character + columns;
    tokens.push({ line, character, type: types[type] });
  }
  return tokens;
}
