import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { InterruptError } from "../../cell/cell-errors.js";
import { LanguageServer, RestartLimit, type ServerSettings } from "./language-server.js";

/** How the compiler's process is run. */
export interface CheckerOptions {
  /** Idle time before the process ends; the next request starts another one. Default: 15 minutes. */
  readonly restAfterMs?: number;
  /** Whether the program ends after some requests. */
  readonly isBrief?: boolean;
}

/** Kinds of file changes, as numbers of the protocol. */
export interface FileChange {
  readonly path: string;
  readonly type: 1 | 2 | 3;
}

interface DocumentOptions extends CheckerOptions {
  /** Settings of the server. Default: settings for cells that run. */
  readonly settings?: ServerSettings;
}

/** A compiler without requests for this long is ended to free its memory. */
const usualRestMs = 15 * 60_000;

/**
 * The compiler's server with the open files of a folder, whose text it receives instead of reading it. It starts on
 * request, and restarts after it has ended.
 */
export class CompilerDocuments {
  readonly #folder: string;
  readonly #languageId: string;
  readonly #options: DocumentOptions;
  readonly #restarts = new RestartLimit();
  /** By file name. */
  readonly #texts = new Map<string, string>();
  #server: LanguageServer | undefined;
  #rest: NodeJS.Timeout | undefined;
  #version = 0;
  #isClosed = false;

  /** @param extension of the files, with its dot */
  constructor(folder: string, extension: string, options: DocumentOptions = {}) {
    this.#folder = folder;
    this.#languageId = extension === ".tsx" ? "typescriptreact" : "typescript";
    this.#options = options;
  }

  uri(file: string): string {
    return pathToFileURL(join(this.#folder, file)).href;
  }

  /** Opens a file, or changes its text. */
  show(file: string, text: string): void {
    const shownText = this.#texts.get(file);
    if (shownText === text) return;
    this.#texts.set(file, text);
    if (shownText === undefined) this.#open(file, text);
    else {
      const textDocument = { uri: this.uri(file), version: ++this.#version };
      this.#notify("textDocument/didChange", { textDocument, contentChanges: [{ text }] });
    }
  }

  /** Closes a file. */
  hide(file: string): void {
    if (this.#texts.delete(file)) this.#notify("textDocument/didClose", { textDocument: { uri: this.uri(file) } });
  }

  /** Reports changed files on disk. */
  tellChanges(changes: readonly FileChange[]): void {
    if (changes.length === 0) return;
    const fileEvents = changes.map(({ path, type }) => ({ uri: pathToFileURL(path).href, type }));
    this.#notify("workspace/didChangeWatchedFiles", { changes: fileEvents });
  }

  /**
   * Starts the server, and makes it read a file with its imports before the first request. Resolves when it has begun
   * to.
   *
   * @throws NoCompilerError if the platform has no compiler
   */
  warm(file: string): Promise<void> {
    this.#server ??= this.#start();
    this.ask("textDocument/diagnostic", { textDocument: { uri: this.uri(file) } }).catch(() => undefined);
    return this.#server.started;
  }

  /** Changes the server's settings until the next change or the end of the server. */
  prefer(preferences: object): void {
    if (this.#isClosed) return;
    this.#server ??= this.#start();
    this.#notify("workspace/didChangeConfiguration", { settings: { "js/ts": preferences } });
  }

  /**
   * Sends a request about the current files.
   *
   * @throws ServerAnswerError if the server refuses; InterruptError if interrupted
   */
  async ask(method: string, params: object): Promise<unknown> {
    for (;;) {
      clearTimeout(this.#rest);
      this.#server ??= this.#start();
      const server = this.#server;
      try {
        return await server.ask(method, params);
      } catch (error) {
        if (server.isAlive || this.#isClosed || error instanceof InterruptError) throw error;
        // Another request may have started it already.
        if (this.#server === server && !this.#restarts.mayRestart()) throw error;
        if (this.#server === server) this.#server = undefined;
      } finally {
        this.#restLater();
      }
    }
  }

  /**
   * Rejects all pending requests with InterruptError. The server is ended: TypeScript does not check for cancellation
   * within a single type, which may take minutes. Another server starts and reads the libraries.
   *
   * @param file the file of the request, which is emptied
   */
  interrupt(file: string): void {
    if (this.#isClosed) return;
    this.#server?.close(new InterruptError());
    this.#server = undefined;
    this.show(file, "");
    void this.warm(file);
  }

  /** The legend of the server's semantic tokens. */
  async tokenTypes(): Promise<readonly string[]> {
    return (await this.#server?.tokenTypes()) ?? [];
  }

  close(): void {
    this.#isClosed = true;
    this.#endServer();
  }

  #start(): LanguageServer {
    const { isBrief = false, settings } = this.#options;
    this.#server = new LanguageServer(this.#folder, { isBrief, ...(settings && { settings }) });
    for (const [file, text] of this.#texts) this.#open(file, text);
    return this.#server;
  }

  #open(file: string, text: string): void {
    const textDocument = { uri: this.uri(file), languageId: this.#languageId, version: ++this.#version, text };
    this.#notify("textDocument/didOpen", { textDocument });
  }

  /** Detects an ended server, so that the next request restarts it. */
  #notify(method: string, params: object): void {
    void this.#server?.notify(method, params).catch(() => undefined);
  }

  #restLater(): void {
    clearTimeout(this.#rest);
    if (this.#isClosed) return;
    this.#rest = setTimeout(() => this.#endServer(), this.#options.restAfterMs ?? usualRestMs).unref();
  }

  #endServer(): void {
    clearTimeout(this.#rest);
    this.#server?.close();
    this.#server = undefined;
  }
}
