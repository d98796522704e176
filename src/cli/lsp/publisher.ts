import type { ClientCapabilities, Diagnostic } from "vscode-languageserver-protocol";
import type { JsonRpc } from "./json-rpc.js";
import type { OpenNotebook } from "./open-documents.js";

/** What is kept where there are no errors. */
const NONE = "[]";

/** What was last told about an open notebook. */
interface Told {
  /** By documents: the errors as JSON and, where a client is told of them by itself, the text that has them. */
  readonly documents: Map<string, string>;
  isLooking: boolean;
  /** Whether the client has asked for its errors. */
  isAsked: boolean;
}

/**
 * Tells the client of errors in cells as soon as they are known. A change of one cell may make errors in others, so all are
 * looked at. A client that asks for errors by itself is told when to ask again, once it does: many that can ask do so for
 * texts, and not for cells.
 */
export class Publisher {
  readonly #client: JsonRpc;
  readonly #canAsk: boolean;
  readonly #canRefresh: boolean;
  readonly #told = new WeakMap<OpenNotebook, Told>();

  constructor(client: JsonRpc, { textDocument, workspace }: ClientCapabilities) {
    this.#client = client;
    this.#canAsk = textDocument?.diagnostic !== undefined;
    this.#canRefresh = workspace?.diagnostics?.refreshSupport === true;
  }

  /** The errors in a document of a notebook, for a client that asks for them: it is not told of them beside that. */
  asked(open: OpenNotebook, uri: string): Promise<readonly Diagnostic[]> {
    const told = this.#toldOf(open);
    if (!told.isAsked && this.#canAsk) {
      for (const [document, state] of told.documents) if (state !== NONE) this.#publish(document, []);
      told.isAsked = true;
    }
    return this.#problems(open, uri);
  }

  /** The errors in a document of a notebook: in a cell, or in all cells of a script. */
  async #problems(open: OpenNotebook, uri: string): Promise<readonly Diagnostic[]> {
    const { language } = open;
    const cells = open.cells.filter((cell) => cell.uri === uri);
    const found = await Promise.all(
      cells.map(async ({ key }) => {
        const problems = await language.problems(key);
        return problems.map(({ relatedInformation, ...problem }) => ({
          ...problem,
          range: open.range(key, problem.range),
          ...(relatedInformation && {
            relatedInformation: relatedInformation.map((each) => ({ ...each, location: open.location(each.location) })),
          }),
        }));
      }),
    );
    return found.flat();
  }

  /** Looks for errors, and again if there were changes meanwhile. */
  look(open: OpenNotebook): void {
    const told = this.#toldOf(open);
    if (told.isLooking || (told.isAsked && !this.#canRefresh)) return;
    told.isLooking = true;
    void this.#lookAll(open, told).finally(() => {
      told.isLooking = false;
    });
  }

  /** Takes back what was told about a notebook that is closed. */
  forget(open: OpenNotebook): void {
    const told = this.#told.get(open);
    this.#told.delete(open);
    if (told && !told.isAsked) for (const uri of told.documents.keys()) this.#publish(uri, []);
  }

  #toldOf(open: OpenNotebook): Told {
    const told = this.#told.get(open) ?? { documents: new Map(), isLooking: false, isAsked: false };
    this.#told.set(open, told);
    return told;
  }

  async #lookAll(open: OpenNotebook, told: Told): Promise<void> {
    for (;;) {
      const { version } = open;
      const documents = [...new Set(open.cells.map(({ uri }) => uri))];
      const gone = [...told.documents.keys()].filter((uri) => !documents.includes(uri));
      for (const uri of gone) this.#tell(told, open, uri, []);
      for (const uri of gone) told.documents.delete(uri);
      const isNew = await Promise.all(
        documents.map(async (uri) => {
          const problems = await this.#problems(open, uri).catch(() => undefined);
          // Of a state that is over nothing is told: the next look tells of the present one.
          return problems !== undefined && open.version === version && this.#tell(told, open, uri, problems);
        }),
      );
      if (told.isAsked && isNew.includes(true)) this.#client.ask("workspace/diagnostic/refresh");
      if (open.version === version || this.#told.get(open) !== told) return;
    }
  }

  /** Says whether there is something new. */
  #tell(told: Told, open: OpenNotebook, uri: string, problems: readonly Diagnostic[]): boolean {
    const json = JSON.stringify(problems);
    // Of a text that was replaced editors drop the errors, also where the new text has the same.
    const isOfText = problems.length > 0 && !told.isAsked;
    const text = open.cells.flatMap((cell) => (isOfText && cell.uri === uri ? [cell.code] : []));
    const state = [json, ...text].join("\n");
    if (told.documents.get(uri) === state) return false;
    told.documents.set(uri, state);
    if (!told.isAsked) this.#publish(uri, problems);
    return true;
  }

  #publish(uri: string, diagnostics: readonly Diagnostic[]): void {
    this.#client.notify("textDocument/publishDiagnostics", { uri, diagnostics });
  }
}
