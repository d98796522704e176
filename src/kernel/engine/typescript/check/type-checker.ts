import { globalsFile, globalsText, type Needs, type ProjectOptions, projectFile } from "./cell-project.js";
import { type CheckerOptions, CompilerDocuments, type FileChange } from "./compiler-documents.js";
import { linesBefore, ownFiles } from "./earlier-cells.js";
import type { TypesFolder } from "./types-folder.js";

/** A position in the language server: line and column, in UTF-16 units, from 0. */
export interface ServerPosition {
  readonly line: number;
  readonly character: number;
}

/** The language server's kind of a name in the code, such as `class`. */
export interface ServerToken extends ServerPosition {
  readonly type: string | undefined;
}

interface ServerRange {
  readonly start: ServerPosition;
  readonly end: ServerPosition;
}

/** An error as the language server reports it. */
export interface ServerProblem {
  readonly range: ServerRange;
  readonly severity: number;
  readonly code: number;
  readonly message: string;
  /** Related positions, if requested. */
  readonly relatedInformation?: readonly {
    readonly location: { readonly uri: string; readonly range: ServerRange };
    readonly message: string;
  }[];
}

const isError = 1;
const changed = 2;

/** Sends requests about one text at a time, the current cell, in the context of the files next to it. */
export class TypeChecker {
  readonly #folder: TypesFolder;
  readonly #documents: CompilerDocuments;
  /** The file name of the current cell. */
  readonly #cell: string;
  #needs: Needs & { readonly preloads: ReadonlySet<string> } = { node: false, preloads: new Set() };
  /** Resolves when the compiler works. */
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
    // The first request makes it read the libraries, so it is sent before there is a cell.
    this.started = this.#documents.warm(this.#cell);
  }

  /** Declarations added so far. */
  get needs(): Needs {
    return this.#needs;
  }

  /** Adds the declarations that a cell needs, from now on. */
  need({ node, preloads }: Needs): void {
    const before = this.#needs;
    const libraries = { node: before.node || node, preloads: new Set([...before.preloads, ...preloads]) };
    if (libraries.node === before.node && libraries.preloads.size === before.preloads.size) return;
    this.#needs = libraries;
    this.tellChanges([{ path: this.#writeGlobals(), type: changed }]);
  }

  /** Reports changed files. */
  tellChanges(changes: readonly FileChange[]): void {
    this.#documents.tellChanges(changes);
  }

  /** The errors in a cell, as `cellText` returns it. */
  async problems(text: string): Promise<readonly ServerProblem[]> {
    return problemsOf(await this.#ask("textDocument/diagnostic", text));
  }

  /**
   * The errors in a file of the folder, if the compiler reads several files together: for each new text, it combines
   * all files again, which takes longer than checking a cell.
   */
  async problemsIn(file: string, together: readonly string[]): Promise<readonly ServerProblem[]> {
    const text = together.map((each) => `import "./${each}";`).join("\n");
    const textDocument = { uri: this.#documents.uri(file) };
    return problemsOf(await this.#ask("textDocument/diagnostic", text, { textDocument }));
  }

  /** Sends a request about a position in the code. */
  ask(method: "completion" | "hover" | "signatureHelp", text: string, position: ServerPosition): Promise<unknown> {
    return this.#ask(`textDocument/${method}`, text, { position });
  }

  /** The kinds of the names in the code. */
  async tokens(text: string): Promise<readonly ServerToken[]> {
    const report = await this.#ask("textDocument/semanticTokens/full", text);
    const types = await this.#documents.tokenTypes();
    return readTokens((report ?? {}) as { readonly data?: readonly number[] }, types);
  }

  /** Stops the current request, which rejects with InterruptError. */
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

/** The errors of a report about a cell's file, as `cellText` returns it, without the errors before the cell. */
export function problemsOf(report: unknown): readonly ServerProblem[] {
  const { items = [] } = (report ?? {}) as { readonly items?: readonly ServerProblem[] };
  return items.filter(({ severity, range }) => severity === isError && range.start.line >= linesBefore);
}

/** Five numbers per token: line and column relative to the one before, length, type, and modifiers. */
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
