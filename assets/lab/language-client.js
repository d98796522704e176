import { addressOf, idOf, NOTEBOOK } from "./cell-addresses.js";

const TARGET = "siteframe.lsp";
/** The protocol's number for a cell of code. */
const CODE = 2;
/** Delay for collecting changes, in milliseconds. */
const GATHER_MS = 25;
const gone = new Set(["restarting", "autorestarting", "terminating", "dead", "unknown"]);

/** A language server that a kernel started for this page. */
class Connection {
  #comm;
  #asked = 0;
  #waiting = new Map();
  /** The cell texts by id and in order, as the server has them; undefined until it is ready. */
  sent;

  /** @param handlers `notified(method, params)`, and `closed(data)` when the kernel closes it */
  constructor(comm, { notified, closed }) {
    this.#comm = comm;
    comm.onMsg = ({ content }) => {
      const { id, method, params, result, error } = content.data;
      if (method !== undefined) return notified(method, params);
      const waiting = this.#waiting.get(id);
      this.#waiting.delete(id);
      if (error) waiting?.reject(new Error(error.message));
      else waiting?.resolve(result ?? undefined);
    };
    comm.onClose = ({ content }) => {
      this.end();
      closed(content.data);
    };
    comm.open({});
  }

  /** Resolves to the response; undefined if the server ends first. */
  request(method, params) {
    this.#asked += 1;
    const id = this.#asked;
    const answered = new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
    this.#comm.send({ id, method, params });
    return answered;
  }

  notify(method, params) {
    this.#comm.send({ method, params });
  }

  /** Ignores the server from here on. Only a running kernel can be notified. */
  close() {
    this.end();
    if (!this.#comm.isDisposed) this.#comm.close();
  }

  end() {
    this.#comm.onMsg = () => {};
    this.#comm.onClose = () => {};
    for (const { resolve } of this.#waiting.values()) resolve(undefined);
    this.#waiting.clear();
  }
}

/**
 * Uses the Language Server Protocol 3.17 for a notebook through a comm of Siteframe's kernel. The server starts when
 * the user works in a cell, and restarts with each kernel until another page takes it over.
 */
export class LanguageClient {
  #context;
  #onReady;
  #onError;
  #connection;
  /** The pending connection attempt, which requests wait for. */
  #attempt;
  #isWanted = false;
  /** A kernel without a language server, or whose server does not start. */
  #refusedBy;
  #timer;
  #problems = new Map();
  #watchers = new Map();

  /**
   * @param context JupyterLab's context of the notebook, shared by its views
   * @param handlers `onReady(isReady)` and `onError(message)`
   */
  constructor(context, { onReady, onError }) {
    this.#context = context;
    this.#onReady = onReady;
    this.#onError = onError;
    const { sessionContext } = context;
    sessionContext.kernelChanged.connect(this.#disconnect, this);
    sessionContext.statusChanged.connect(this.#onStatus, this);
    sessionContext.connectionStatusChanged.connect(this.#onConnection, this);
    context.model.contentChanged.connect(this.#onContent, this);
    context.saveState.connect(this.#onSave, this);
    context.disposed.connect(() => {
      this.#isWanted = false;
      this.#connection?.close();
      this.#disconnect();
    });
  }

  /** Whether the server has the notebook. */
  get isReady() {
    return this.#connection?.sent !== undefined;
  }

  /** The user works in a cell: starts the server, or makes it check local files again. */
  start() {
    this.#isWanted = true;
    if (this.isReady) this.#connection.notify("workspace/didChangeWatchedFiles", { changes: [] });
    else void this.#connect();
  }

  /** The known errors of a cell. */
  problems(id) {
    return this.#problems.get(id) ?? [];
  }

  /** Calls back when the errors of a cell change. Returns a function that ends it. */
  watch(id, onProblems) {
    const watchers = this.#watchers.get(id) ?? new Set();
    this.#watchers.set(id, watchers.add(onProblems));
    return () => watchers.delete(onProblems);
  }

  /**
   * Sends a request about a position in a cell, in its current state or in its state when a starting server is ready.
   *
   * @returns the response; undefined without a server
   * @throws Error with the server's message if it reports an error
   */
  async ask(method, id, params) {
    if (!this.isReady) await this.#attempt?.promise;
    if (!this.isReady) return undefined;
    this.#sendChanges();
    return this.#connection.request(method, { textDocument: { uri: addressOf(id) }, ...params });
  }

  /** Saves the state of the cells. The returned function reports whether they are unchanged. */
  unchanged() {
    const before = this.#cells();
    return () => isSame(before, this.#cells());
  }

  async #connect() {
    const kernel = this.#context.sessionContext.session?.kernel;
    if (this.#attempt || this.#connection || !kernel?.handleComms) return;
    if (gone.has(kernel.status) || kernel === this.#refusedBy) return;
    const attempt = Promise.withResolvers();
    this.#attempt = attempt;
    try {
      const { implementation } = await kernel.info;
      if (this.#attempt !== attempt) return;
      if (implementation === "siteframe") await this.#open(kernel);
      else this.#refusedBy = kernel;
    } catch {
      // The kernel has ended, or its server does not respond.
      if (this.#attempt === attempt) this.#refuse(kernel);
    } finally {
      if (this.#attempt === attempt) this.#attempt = undefined;
      attempt.resolve();
    }
  }

  async #open(kernel) {
    const connection = new Connection(kernel.createComm(TARGET), {
      notified: (method, params) => {
        if (method === "textDocument/publishDiagnostics") this.#publish(idOf(params.uri), params.diagnostics);
      },
      closed: ({ reason, isReplaced }) => {
        // It restarts when the user works here again. If it ended before it was ready, this kernel has no server.
        this.#isWanted = false;
        if (connection.sent === undefined && !isReplaced) this.#refusedBy = kernel;
        if (reason && !isReplaced) this.#onError(reason);
        this.#disconnect();
      },
    });
    this.#connection = connection;
    await connection.request("initialize", { processId: null, rootUri: null, capabilities: {} });
    if (this.#connection !== connection) return;
    connection.notify("initialized", {});
    connection.sent = this.#cells();
    connection.notify("notebookDocument/didOpen", {
      notebookDocument: {
        uri: NOTEBOOK,
        notebookType: "jupyter-notebook",
        version: 0,
        cells: [...connection.sent.keys()].map(notebookCell),
      },
      cellTextDocuments: [...connection.sent].map(textDocument),
    });
    this.#onReady(true);
  }

  #refuse(kernel) {
    this.#refusedBy = kernel;
    this.#connection?.close();
    this.#disconnect();
  }

  /** The current code cells. */
  #cells() {
    const cells = [...this.#context.model.cells].filter(({ type }) => type === "code");
    return new Map(cells.map(({ id, sharedModel }) => [id, sharedModel.getSource()]));
  }

  #sendChanges() {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const connection = this.#connection;
    if (!connection?.sent) return;
    const [before, now] = [connection.sent, this.#cells()];
    if (isSame(before, now)) return;
    connection.sent = now;
    const ids = [...now.keys()];
    const added = [...now].filter(([id]) => !before.has(id));
    const removed = [...before.keys()].filter((id) => !now.has(id));
    const changed = [...now].filter(([id, text]) => before.has(id) && before.get(id) !== text);
    connection.notify("notebookDocument/didChange", {
      notebookDocument: { uri: NOTEBOOK, version: 0 },
      change: {
        cells: {
          ...(ids.join() !== [...before.keys()].join() && {
            structure: {
              array: { start: 0, deleteCount: before.size, cells: ids.map(notebookCell) },
              didOpen: added.map(textDocument),
              didClose: removed.map((id) => ({ uri: addressOf(id) })),
            },
          }),
          textContent: changed.map(([id, text]) => ({
            document: { uri: addressOf(id), version: 0 },
            changes: [{ text }],
          })),
        },
      },
    });
  }

  #publish(id, problems) {
    this.#problems.set(id, problems);
    for (const onProblems of this.#watchers.get(id) ?? []) onProblems(problems);
  }

  #onContent() {
    if (this.isReady) this.#timer ??= setTimeout(() => this.#sendChanges(), GATHER_MS);
  }

  #onSave(_context, state) {
    if (state === "completed" && this.isReady) {
      this.#connection.notify("notebookDocument/didSave", { notebookDocument: { uri: NOTEBOOK } });
    }
  }

  #onStatus(_session, status) {
    if (gone.has(status)) {
      this.#refusedBy = undefined;
      this.#disconnect();
    } else if (this.#isWanted) void this.#connect();
  }

  #onConnection(_session, status) {
    if (status !== "connected") this.#disconnect();
    else if (this.#isWanted) void this.#connect();
  }

  /** The server has ended. Its errors may be outdated from now on. */
  #disconnect() {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#attempt?.resolve();
    this.#attempt = undefined;
    this.#connection?.end();
    this.#connection = undefined;
    for (const id of this.#problems.keys()) this.#publish(id, []);
    this.#problems.clear();
    this.#onReady(false);
  }
}

function isSame(one, other) {
  const others = [...other];
  return one.size === other.size && [...one].every(([id, text], at) => others[at][0] === id && others[at][1] === text);
}

function notebookCell(id) {
  return { kind: CODE, document: addressOf(id) };
}

function textDocument([id, text]) {
  return { uri: addressOf(id), languageId: "typescript", version: 0, text };
}
