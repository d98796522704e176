import type { ClientCapabilities, Diagnostic } from "vscode-languageserver-protocol";
import type { JsonRpc } from "./json-rpc.js";
import type { OpenNotebook } from "./open-documents.js";

/** State without errors. */
const NONE = "[]";

/** Errors last published for an open notebook. */
interface Published {
  /** By document: the errors as JSON and, if they are published, the text that they are about. */
  readonly documents: Map<string, string>;
  isLooking: boolean;
  /** Whether the client has requested errors (pull diagnostics). */
  isAsked: boolean;
}

/**
 * Publishes the errors in cells as soon as they are known. A change of one cell can cause errors in others, so all
 * cells are checked. A client that requests errors gets a refresh notice instead after its first request, since many
 * clients can request errors of text documents but not of cells.
 */
export class Publisher {
  readonly #client: JsonRpc;
  readonly #canAsk: boolean;
  readonly #canRefresh: boolean;
  readonly #published = new WeakMap<OpenNotebook, Published>();

  constructor(client: JsonRpc, { textDocument, workspace }: ClientCapabilities) {
    this.#client = client;
    this.#canAsk = textDocument?.diagnostic !== undefined;
    this.#canRefresh = workspace?.diagnostics?.refreshSupport === true;
  }

  /** The errors in a document, for a client that requests them. They are no longer published to it. */
  diagnosticsOf(open: OpenNotebook, uri: string): Promise<readonly Diagnostic[]> {
    const published = this.#publishedOf(open);
    if (!published.isAsked && this.#canAsk) {
      for (const [document, state] of published.documents) if (state !== NONE) this.#publish(document, []);
      published.isAsked = true;
    }
    return this.#problems(open, uri);
  }

  /** The errors in a document of a notebook: of a cell, or of all cells of a script. */
  async #problems(open: OpenNotebook, uri: string): Promise<readonly Diagnostic[]> {
    const { language } = open;
    const cells = open.cells.filter((cell) => cell.uri === uri);
    const reports = await Promise.all(
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
    return reports.flat();
  }

  /** Checks for errors, and again if there were changes meanwhile. */
  look(open: OpenNotebook): void {
    const published = this.#publishedOf(open);
    if (published.isLooking || (published.isAsked && !this.#canRefresh)) return;
    published.isLooking = true;
    void this.#lookAll(open, published).finally(() => {
      published.isLooking = false;
    });
  }

  /** Withdraws the errors of a closed notebook. */
  forget(open: OpenNotebook): void {
    const published = this.#published.get(open);
    this.#published.delete(open);
    if (published && !published.isAsked) for (const uri of published.documents.keys()) this.#publish(uri, []);
  }

  #publishedOf(open: OpenNotebook): Published {
    const published = this.#published.get(open) ?? { documents: new Map(), isLooking: false, isAsked: false };
    this.#published.set(open, published);
    return published;
  }

  async #lookAll(open: OpenNotebook, published: Published): Promise<void> {
    for (;;) {
      const { version } = open;
      const documents = [...new Set(open.cells.map(({ uri }) => uri))];
      const gone = [...published.documents.keys()].filter((uri) => !documents.includes(uri));
      for (const uri of gone) this.#update(published, open, uri, []);
      for (const uri of gone) published.documents.delete(uri);
      const isNew = await Promise.all(
        documents.map(async (uri) => {
          const problems = await this.#problems(open, uri).catch(() => undefined);
          // Discards the errors of an outdated version: the next check publishes current ones.
          return problems !== undefined && open.version === version && this.#update(published, open, uri, problems);
        }),
      );
      if (published.isAsked && isNew.includes(true)) this.#client.ask("workspace/diagnostic/refresh");
      if (open.version === version || this.#published.get(open) !== published) return;
    }
  }

  /** Publishes errors, and returns whether they have changed. */
  #update(published: Published, open: OpenNotebook, uri: string, problems: readonly Diagnostic[]): boolean {
    const json = JSON.stringify(problems);
    // Editors drop the errors of replaced text, even if the new text has the same errors.
    const isOfText = problems.length > 0 && !published.isAsked;
    const text = open.cells.flatMap((cell) => (isOfText && cell.uri === uri ? [cell.code] : []));
    const state = [json, ...text].join("\n");
    if (published.documents.get(uri) === state) return false;
    published.documents.set(uri, state);
    if (!published.isAsked) this.#publish(uri, problems);
    return true;
  }

  #publish(uri: string, diagnostics: readonly Diagnostic[]): void {
    this.#client.notify("textDocument/publishDiagnostics", { uri, diagnostics });
  }
}
