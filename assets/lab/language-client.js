const TARGET = "siteframe.lsp";
const NOTEBOOK = "notebook:/cells.ipynb";
const CELL = "notebook-cell:/";
/** The protocol's number for a cell of code. */
const CODE = 2;
/** How long changes are gathered, in milliseconds. */
const GATHER_MS = 25;
const gone = new Set(["restarting", "autorestarting", "terminating", "dead", "unknown"]);

/**
 * Speaks the Language Server Protocol 3.17 about a notebook with the kernel of Siteframe that it has, by a comm. The
 * server is started when somebody first asks for it, or `start` is called.
 */
export class LanguageClient {
  #panel;
  #onEnd;
  #comm;
  /** Resolves with the comm once the server has said what it can. */
  #opening;
  /** Whether somebody wants it: it is started as soon as it can be, and again with each kernel. */
  #isWanted = false;
  /** A kernel that has no server. */
  #without;
  #asked = 0;
  #waiting = new Map();
  /** What the server has been told: the texts of cells by id, in order. */
  #told;
  #timer;
  #problems = new Map();
  #watchers = new Map();

  /**
   * @param panel JupyterLab's notebook
   * @param onEnd is told why the server is not there any more, where it says so
   */
  constructor(panel, onEnd) {
    this.#panel = panel;
    this.#onEnd = onEnd;
    const { sessionContext } = panel;
    sessionContext.kernelChanged.connect(this.#onKernel, this);
    sessionContext.statusChanged.connect(this.#onStatus, this);
    sessionContext.connectionStatusChanged.connect(this.#onConnection, this);
    panel.context.ready.then(() => panel.model?.contentChanged.connect(this.#onContent, this));
    panel.disposed.connect(() => this.#close());
  }

  get panel() {
    return this.#panel;
  }

  /** Whether the server knows of the notebook. */
  get isOpen() {
    return this.#comm !== undefined;
  }

  /** Starts the server as soon as the kernel can, if it is Siteframe's and has one. */
  start() {
    this.#isWanted = true;
    this.#open().catch(() => {});
  }

  /** The errors in a cell, as far as they are known. */
  problems(id) {
    return this.#problems.get(id) ?? [];
  }

  /** Calls back when other errors are known in a cell. Gives what ends that. */
  watch(id, onProblems) {
    const watchers = this.#watchers.get(id) ?? new Set();
    this.#watchers.set(id, watchers.add(onProblems));
    return () => watchers.delete(onProblems);
  }

  /**
   * Asks about a place in a cell as it is now.
   *
   * @returns the answer; undefined where there is no server or it does not answer
   * @throws Error with the server's words, where it says why it does not
   */
  async ask(method, id, params) {
    const comm = await this.#open().catch(() => undefined);
    if (!comm) return undefined;
    this.#tellChanges();
    return this.#request(comm, method, { textDocument: { uri: CELL + encodeURIComponent(id) }, ...params });
  }

  /** The id of the cell that an address is of; undefined if it is one of a file. */
  static cellOf(uri) {
    return uri.startsWith(CELL) ? decodeURIComponent(uri.slice(CELL.length)) : undefined;
  }

  #open() {
    if (this.#opening) return this.#opening;
    const opening = this.#connect();
    this.#opening = opening;
    // Where nobody can be asked, another kernel may come.
    const forget = () => {
      if (this.#opening === opening) this.#opening = undefined;
    };
    opening.then((comm) => comm ?? forget(), forget);
    return opening;
  }

  async #connect() {
    const kernel = this.#panel.sessionContext.session?.kernel;
    if (!kernel?.handleComms || gone.has(kernel.status) || kernel === this.#without) return undefined;
    const { implementation } = await kernel.info;
    if (implementation !== "siteframe" || this.#panel.sessionContext.session?.kernel !== kernel) return undefined;
    const comm = kernel.createComm(TARGET);
    comm.onMsg = ({ content }) => this.#take(content.data);
    comm.onClose = ({ content }) => {
      if (this.#comm !== comm) return;
      // Before it has said anything: the kernel's cells are checked by another compiler, or the server cannot start.
      if (this.#told === undefined) this.#without = kernel;
      const { reason } = content.data;
      if (reason) this.#onEnd(reason);
      this.#reset();
    };
    this.#comm = comm;
    comm.open({});
    const answer = await this.#request(comm, "initialize", { processId: null, rootUri: null, capabilities: {} });
    if (answer === undefined) return undefined;
    this.#notify("initialized", {});
    this.#tellAll();
    return comm;
  }

  #request(comm, method, params) {
    this.#asked += 1;
    const id = this.#asked;
    const answered = new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
    comm.send({ id, method, params });
    return answered;
  }

  #notify(method, params) {
    this.#comm?.send({ method, params });
  }

  #take({ id, method, params, result, error }) {
    if (method === "textDocument/publishDiagnostics")
      this.#publish(LanguageClient.cellOf(params.uri), params.diagnostics);
    const waiting = method === undefined && this.#waiting.get(id);
    if (!waiting) return;
    this.#waiting.delete(id);
    if (error) waiting.reject(new Error(error.message));
    else waiting.resolve(result ?? undefined);
  }

  #publish(id, problems) {
    this.#problems.set(id, problems);
    for (const onProblems of this.#watchers.get(id) ?? []) onProblems(problems);
  }

  /** The cells of code as they are now. */
  #cells() {
    const cells = [...(this.#panel.model?.cells ?? [])].filter(({ type }) => type === "code");
    return new Map(cells.map(({ id, sharedModel }) => [id, sharedModel.getSource()]));
  }

  #tellAll() {
    this.#told = this.#cells();
    this.#notify("notebookDocument/didOpen", {
      notebookDocument: {
        uri: NOTEBOOK,
        notebookType: "jupyter-notebook",
        version: 0,
        cells: [...this.#told.keys()].map(cellOf),
      },
      cellTextDocuments: [...this.#told].map(textOf),
    });
  }

  #tellChanges() {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (!this.#told) return;
    const [before, now] = [this.#told, this.#cells()];
    const isSameOrder = before.size === now.size && [...before.keys()].join() === [...now.keys()].join();
    const changed = [...now].filter(([id, text]) => before.has(id) && before.get(id) !== text);
    if (isSameOrder && changed.length === 0) return;
    this.#told = now;
    const come = [...now].filter(([id]) => !before.has(id));
    const left = [...before.keys()].filter((id) => !now.has(id));
    this.#notify("notebookDocument/didChange", {
      notebookDocument: { uri: NOTEBOOK, version: 0 },
      change: {
        cells: {
          ...(!isSameOrder && {
            structure: {
              array: { start: 0, deleteCount: before.size, cells: [...now.keys()].map(cellOf) },
              didOpen: come.map(textOf),
              didClose: left.map((id) => ({ uri: addressOf(id) })),
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

  #onContent() {
    if (this.#told) this.#timer ??= setTimeout(() => this.#tellChanges(), GATHER_MS);
  }

  #onKernel() {
    this.#reset();
  }

  #onStatus(_session, status) {
    if (gone.has(status)) {
      this.#without = undefined;
      this.#reset();
    } else if (this.#isWanted && !this.#opening) this.start();
  }

  #onConnection(_session, status) {
    if (status !== "connected") this.#reset();
  }

  /** The server is not there any more. What it has said of errors may be wrong from now on. */
  #reset() {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    this.#comm = undefined;
    this.#opening = undefined;
    this.#told = undefined;
    for (const { resolve } of waiting) resolve(undefined);
    for (const id of this.#problems.keys()) this.#publish(id, []);
    this.#problems.clear();
  }

  #close() {
    const comm = this.#comm;
    this.#reset();
    if (comm && !comm.isDisposed) comm.close();
  }
}

function addressOf(id) {
  return CELL + encodeURIComponent(id);
}

function cellOf(id) {
  return { kind: CODE, document: addressOf(id) };
}

function textOf([id, text]) {
  return { uri: addressOf(id), languageId: "typescript", version: 0, text };
}
