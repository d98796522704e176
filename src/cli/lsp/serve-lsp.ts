import type { Readable, Writable } from "node:stream";
import type {
  ClientCapabilities,
  CodeActionParams,
  CompletionContext,
  CompletionItem,
  Diagnostic,
  DidChangeNotebookDocumentParams,
  DidChangeTextDocumentParams,
  DidCloseTextDocumentParams,
  DidOpenNotebookDocumentParams,
  DidOpenTextDocumentParams,
  InitializeParams,
  InitializeResult,
  NotebookDocumentIdentifier,
  Position,
  RenameParams,
  SignatureHelpContext,
} from "vscode-languageserver-protocol";
import { reasonOf, showValue } from "../../core/show-value.js";

import { errorCodes, JsonRpc, RequestError } from "./json-rpc.js";
import { type CellPosition, OpenDocuments, type OpenNotebook, pathOf } from "./open-documents.js";
import { Publisher } from "./publisher.js";

/** Capabilities of the server (LSP 3.17, initialize). */
function serverCapabilities(client: ClientCapabilities): InitializeResult["capabilities"] {
  const cells = ["typescript", "typescriptreact"].map((language) => ({ language }));
  return {
    positionEncoding: "utf-16",
    textDocumentSync: { openClose: true, change: 2, save: true },
    notebookDocumentSync: { notebookSelector: [{ notebook: "*", cells }], save: true },
    hoverProvider: true,
    signatureHelpProvider: { triggerCharacters: ["(", ",", "<"], retriggerCharacters: [")"] },
    completionProvider: { triggerCharacters: [".", '"', "'", "`", "/"], resolveProvider: true },
    definitionProvider: true,
    typeDefinitionProvider: true,
    referencesProvider: true,
    documentHighlightProvider: true,
    renameProvider: { prepareProvider: true },
    codeActionProvider: { codeActionKinds: ["quickfix"] },
    ...(client.textDocument?.diagnostic && {
      diagnosticProvider: { identifier: "siteframe", interFileDependencies: true, workspaceDiagnostics: false },
    }),
  };
}

interface AtPosition {
  readonly textDocument: { readonly uri: string };
  readonly position: Position;
  readonly context?: unknown;
}

/** A requested position in an open document. */
interface Asked extends CellPosition {
  readonly open: OpenNotebook;
}

/** Data of a completion item until it is resolved, in addition to the language service's data. */
interface ItemData {
  readonly uri: string;
  readonly key: string;
  readonly kept: unknown;
}

/**
 * Runs a language server for notebooks (Language Server Protocol 3.17). It does not run cells.
 *
 * @returns the exit code of the protocol, after the client has sent `exit` or has gone
 */
export function serveLsp(input: Readable, output: Writable, version: string): Promise<number> {
  return new Promise((resolve) => {
    const server = new LspServer(version, resolve, (handlers) => new JsonRpc(input, output, handlers));
    input.on("end", () => server.end());
    input.on("close", () => server.end());
    // A client that has gone no longer reads.
    output.on("error", () => server.end());
  });
}

class LspServer {
  readonly #version: string;
  readonly #onEnd: (code: number) => void;
  readonly #client: JsonRpc;
  #state: "new" | "running" | "shut down" | "ended" = "new";
  #documents = new OpenDocuments(process.cwd());
  #publisher: Publisher | undefined;

  constructor(version: string, onEnd: (code: number) => void, connect: (handlers: LspServer) => JsonRpc) {
    this.#version = version;
    this.#onEnd = onEnd;
    this.#client = connect(this);
  }

  /** Ends the server. The exit code is 0 only after `shutdown`. */
  end(): void {
    if (this.#state === "ended") return;
    const code = this.#state === "shut down" ? 0 : 1;
    this.#state = "ended";
    this.#documents.close();
    this.#onEnd(code);
  }

  fail(error: unknown): void {
    // Notifications have no response.
    this.#client.notify("window/logMessage", { type: 1, message: reasonOf(error) });
  }

  async request(method: string, params: unknown): Promise<unknown> {
    if (method === "initialize") {
      checkParams(method, params);
      return this.#initialize(params as InitializeParams);
    }
    if (this.#state === "new") throw new RequestError(errorCodes.serverNotInitialized, "Send `initialize` first.");
    if (this.#state !== "running") throw new RequestError(errorCodes.invalidRequest, "The server has shut down.");
    const answer = Object.hasOwn(this.#requests, method) ? this.#requests[method] : undefined;
    if (!answer) throw new RequestError(errorCodes.methodNotFound, `Unknown method ${showValue(method)}.`);
    checkParams(method, params ?? {});
    return answer((params ?? {}) as object);
  }

  notify(method: string, params: unknown): void {
    if (method === "exit") this.end();
    if (this.#state !== "running" || !Object.hasOwn(this.#notifications, method)) return;
    checkParams(method, params ?? {});
    this.#notifications[method]?.(params ?? {});
  }

  #initialize({ capabilities, rootUri, workspaceFolders }: InitializeParams): InitializeResult {
    const client = capabilities ?? {};
    if (this.#state !== "new") throw new RequestError(errorCodes.invalidRequest, "The server is already initialized.");
    this.#state = "running";
    const root = workspaceFolders?.[0]?.uri ?? rootUri;
    this.#documents = new OpenDocuments(pathOf(root ?? "") ?? process.cwd());
    this.#publisher = new Publisher(this.#client, client);
    return { capabilities: serverCapabilities(client), serverInfo: { name: "siteframe", version: this.#version } };
  }

  /** Handlers by method. Parameters can have any shape; a check reports missing members. */
  readonly #requests: Readonly<Record<string, (params: object) => Promise<unknown>>> = {
    shutdown: async () => {
      this.#state = "shut down";
    },
    "textDocument/diagnostic": async (params) => {
      const uri = addressOf(params);
      const open = this.#documents.of(uri);
      const items = open && this.#publisher ? await this.#publisher.diagnosticsOf(open, uri) : [];
      return { kind: "full", items };
    },
    "textDocument/hover": (params) =>
      this.#at(params, async ({ open, key, position }) => {
        const hover = await open.language.hover(key, position);
        return hover && { ...hover, ...(hover.range && { range: open.range(key, hover.range) }) };
      }),
    "textDocument/signatureHelp": (params) =>
      this.#at(params, ({ open, key, position }, context) =>
        open.language.signatures(key, position, context as SignatureHelpContext | undefined),
      ),
    "textDocument/definition": (params) => this.#declarations("definition", params),
    "textDocument/typeDefinition": (params) => this.#declarations("typeDefinition", params),
    "textDocument/references": (params) =>
      this.#at(params, async ({ open, key, position }, context) => {
        const { includeDeclaration = true } = (context ?? {}) as { includeDeclaration?: boolean };
        const locations = await open.language.references(key, position, includeDeclaration);
        return locations.map((each) => open.location(each));
      }),
    "textDocument/documentHighlight": (params) =>
      this.#at(params, async ({ open, key, position }) => {
        const highlights = await open.language.highlights(key, position);
        return highlights.map((each) => ({ ...each, range: open.range(key, each.range) }));
      }),
    "textDocument/prepareRename": (params) =>
      this.#at(params, async ({ open, key, position }) => {
        const { range, placeholder } = await open.language.renamed(key, position);
        return { range: open.range(key, range), placeholder };
      }),
    "textDocument/rename": (params) =>
      this.#at(params, async ({ open, key, position }) => {
        const { newName } = params as RenameParams;
        return open.edit(await open.language.rename(key, position, newName));
      }),
    "textDocument/completion": (params) =>
      this.#at(params, async ({ open, key, position }, context) => {
        const list = await open.language.completions(key, position, context as CompletionContext | undefined);
        const uri = addressOf(params);
        return { ...list, items: list.items.map((item) => this.#sent(item, open, { uri, key })) };
      }),
    "completionItem/resolve": async (params) => {
      const { data, ...item } = params as CompletionItem;
      const { uri = "", key = "", kept } = (data ?? {}) as Partial<ItemData>;
      const open = this.#documents.of(uri);
      if (!open) return params;
      return this.#sent(await open.language.completion({ ...item, data: kept }), open, { uri, key });
    },
    "textDocument/codeAction": async (params) => {
      const { range, context } = params as CodeActionParams;
      const target = this.#find(addressOf(params), range.start);
      const isOther = context?.only && !context.only.some((kind) => "quickfix".startsWith(kind));
      if (!target || isOther) return [];
      const { open, key } = target;
      const published = (context?.diagnostics ?? []).filter(({ source }) => source === "siteframe");
      const inCell = published.map((each) => ({ ...each, range: open.rangeIn(key, each.range) }));
      const actions = await open.language.fixes(key, open.rangeIn(key, range), inCell);
      const outside = (each: Diagnostic) => published[inCell.indexOf(each)] ?? each;
      return actions.map(({ edit = {}, diagnostics, ...action }) => ({
        ...action,
        edit: open.edit(edit),
        ...(diagnostics && { diagnostics: diagnostics.map(outside) }),
      }));
    },
  };

  readonly #notifications: Readonly<Record<string, (params: object) => void>> = {
    "notebookDocument/didOpen": (params) =>
      this.#changed(this.#documents.openNotebook(params as DidOpenNotebookDocumentParams)),
    "notebookDocument/didChange": (params) =>
      this.#changed(this.#documents.changeNotebook(params as DidChangeNotebookDocumentParams)),
    "notebookDocument/didSave": () => this.#refresh(),
    "notebookDocument/didClose": (params) => {
      const { notebookDocument } = params as { readonly notebookDocument: NotebookDocumentIdentifier };
      this.#closed(this.#documents.closeNotebook(notebookDocument.uri));
    },
    "textDocument/didOpen": (params) =>
      this.#changed(this.#documents.openText((params as DidOpenTextDocumentParams).textDocument)),
    "textDocument/didChange": (params) => {
      const { textDocument, contentChanges } = params as DidChangeTextDocumentParams;
      this.#changed(this.#documents.changeText(textDocument.uri, contentChanges));
    },
    "textDocument/didSave": () => this.#refresh(),
    "textDocument/didClose": (params) =>
      this.#closed(this.#documents.closeText((params as DidCloseTextDocumentParams).textDocument.uri)),
    "workspace/didChangeWatchedFiles": () => this.#refresh(),
  };

  #changed(open: OpenNotebook | undefined): void {
    if (open) this.#publisher?.look(open);
  }

  #closed(open: OpenNotebook | undefined): void {
    if (open) this.#publisher?.forget(open);
  }

  /** Updates after changes to files that cells may import. */
  #refresh(): void {
    for (const open of this.#documents.all) {
      open.refresh();
      this.#changed(open);
    }
  }

  /** Answers for a position in a cell, or with null for a position outside of code. */
  async #at(params: object, answer: (target: Asked, context: unknown) => Promise<unknown>): Promise<unknown> {
    const { position, context } = params as AtPosition;
    const target = this.#find(addressOf(params), position);
    return target && answer(target, context);
  }

  #find(uri: string, { line, character }: Position): Asked | undefined {
    const open = this.#documents.of(uri);
    const cell = open?.find(uri, { line, character });
    return open && cell && { open, ...cell };
  }

  #declarations(kind: "definition" | "typeDefinition", params: object): Promise<unknown> {
    return this.#at(params, async ({ open, key, position }) => {
      const locations = await open.language.declarations(kind, key, position);
      return locations.map((each) => open.location(each));
    });
  }

  /** Converts the ranges of a completion to its document. */
  #sent(
    { data, textEdit, additionalTextEdits, ...item }: CompletionItem,
    open: OpenNotebook,
    of: Omit<ItemData, "kept">,
  ) {
    const kept: ItemData = { ...of, kept: data };
    const moved = textEdit && "range" in textEdit && { ...textEdit, range: open.range(of.key, textEdit.range) };
    return { ...item, data: kept, ...(moved && { textEdit: moved }) };
  }
}

function addressOf(params: object): string {
  return (params as AtPosition).textDocument.uri;
}

// Checks the parameters that the server reads, as defined by LSP 3.17. Clients may send anything.

/** @throws RequestError for an invalid value */
type Check = (value: unknown, path: string) => void;

const of =
  (expected: string, accepts: (value: unknown) => boolean): Check =>
  (value, path) => {
    if (accepts(value)) return;
    throw new RequestError(errorCodes.invalidParams, `${path} must be ${expected}, not ${showValue(value)}.`);
  };

const MAX_UINTEGER = 2 ** 31 - 1;

const text = of("a string", (value) => typeof value === "string");
const index = of(
  `an integer from 0 to ${MAX_UINTEGER}`,
  (value) => Number.isInteger(value) && Number(value) >= 0 && Number(value) <= MAX_UINTEGER,
);
const isObject = (value: unknown) => typeof value === "object" && value !== null && !Array.isArray(value);
const anObject = of("an object", isObject);
const aList = of("a list", Array.isArray);

const optional =
  (check: Check): Check =>
  (value, path) => {
    if (value !== undefined && value !== null) check(value, path);
  };

const listOf =
  (check: Check): Check =>
  (value, path) => {
    aList(value, path);
    for (const [place, one] of (value as readonly unknown[]).entries()) check(one, `${path}[${place}]`);
  };

const object =
  (members: Readonly<Record<string, Check>>): Check =>
  (value, path) => {
    anObject(value, path === "" ? "params" : path);
    for (const [name, check] of Object.entries(members)) {
      check(Reflect.get(value as object, name), path === "" ? name : `${path}.${name}`);
    }
  };

const position = object({ line: index, character: index });
const range = object({ start: position, end: position });
const document = object({ uri: text });
const openDocument = object({ uri: text, languageId: text, text });
const change = object({ text, range: optional(range) });
const cell = object({ kind: index, document: text });
const at = object({ textDocument: document, position, context: optional(anObject) });

const structure = object({
  array: object({ start: index, deleteCount: index, cells: optional(listOf(cell)) }),
  didOpen: optional(listOf(openDocument)),
  didClose: optional(listOf(document)),
});
const changedCells = object({
  structure: optional(structure),
  data: optional(listOf(cell)),
  textContent: optional(listOf(object({ document, changes: listOf(change) }))),
});

const checks: Readonly<Record<string, Check>> = {
  initialize: object({
    capabilities: optional(anObject),
    rootUri: optional(text),
    workspaceFolders: optional(listOf(document)),
  }),
  "textDocument/diagnostic": object({ textDocument: document }),
  "textDocument/hover": at,
  "textDocument/signatureHelp": at,
  "textDocument/definition": at,
  "textDocument/typeDefinition": at,
  "textDocument/references": at,
  "textDocument/documentHighlight": at,
  "textDocument/prepareRename": at,
  "textDocument/rename": object({ textDocument: document, position, newName: text }),
  "textDocument/completion": at,
  "completionItem/resolve": object({ label: text, data: optional(object({ uri: text, key: text })) }),
  "textDocument/codeAction": object({
    textDocument: document,
    range,
    context: optional(object({ diagnostics: optional(listOf(object({ range }))), only: optional(listOf(text)) })),
  }),
  "notebookDocument/didOpen": object({
    notebookDocument: object({ uri: text, cells: listOf(cell) }),
    cellTextDocuments: listOf(openDocument),
  }),
  "notebookDocument/didChange": object({
    notebookDocument: document,
    change: object({ cells: optional(changedCells) }),
  }),
  "notebookDocument/didClose": object({ notebookDocument: document }),
  "textDocument/didOpen": object({ textDocument: openDocument }),
  "textDocument/didChange": object({ textDocument: document, contentChanges: listOf(change) }),
  "textDocument/didClose": object({ textDocument: document }),
};

/**
 * Checks the members of a message's parameters that the server reads.
 *
 * @throws RequestError with the first member that is missing or has the wrong type
 */
export function checkParams(method: string, params: unknown): void {
  if (Object.hasOwn(checks, method)) checks[method]?.(params, "");
}
