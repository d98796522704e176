import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { InterruptError } from "../../cell/cell-errors.js";
import { LanguageServer, RestartLimit, type ServerSettings } from "./language-server.js";

/** How the compiler's process is run. */
export interface CheckerOptions {
  /** How long nobody may ask before it ends; the next question starts another. Default 15 minutes. */
  readonly restAfterMs?: number;
  /** Whether all ends after some questions. */
  readonly isBrief?: boolean;
}

/** What has become of a file, in the protocol's numbers. */
export interface FileChange {
  readonly path: string;
  readonly type: 1 | 2 | 3;
}

interface DocumentOptions extends CheckerOptions {
  /** How the server is told what it is to do. Default: what cells need that run. */
  readonly settings?: ServerSettings;
}

/** A compiler that nobody has asked for so long gives its memory back. */
const usualRestMs = 15 * 60_000;

/**
 * The compiler's server with the files of a folder that are open in it, whose text it is told and does not read. It starts
 * when it is asked, and again when it has ended.
 */
export class CompilerDocuments {
  readonly #folder: string;
  readonly #languageId: string;
  readonly #options: DocumentOptions;
  readonly #restarts = new RestartLimit();
  /** By names of files. */
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
    const shown = this.#texts.get(file);
    if (shown === text) return;
    this.#texts.set(file, text);
    if (shown === undefined) this.#open(file, text);
    else {
      const textDocument = { uri: this.uri(file), version: ++this.#version };
      this.#tell("textDocument/didChange", { textDocument, contentChanges: [{ text }] });
    }
  }

  /** Closes a file. */
  hide(file: string): void {
    if (this.#texts.delete(file)) this.#tell("textDocument/didClose", { textDocument: { uri: this.uri(file) } });
  }

  /** Tells of files that have changed where they lie. */
  tellChanges(changes: readonly FileChange[]): void {
    if (changes.length === 0) return;
    const told = changes.map(({ path, type }) => ({ uri: pathToFileURL(path).href, type }));
    this.#tell("workspace/didChangeWatchedFiles", { changes: told });
  }

  /**
   * Starts the server, and has it read a file and all that this is made of, before someone asks. Resolves when it has begun
   * to.
   *
   * @throws NoCompilerError if there is none for this platform
   */
  warm(file: string): Promise<void> {
    this.#server ??= this.#start();
    this.ask("textDocument/diagnostic", { textDocument: { uri: this.uri(file) } }).catch(() => undefined);
    return this.#server.started;
  }

  /** Changes what the server is to do, until it is changed again or the server ends. */
  prefer(preferences: object): void {
    if (this.#isClosed) return;
    this.#server ??= this.#start();
    this.#tell("workspace/didChangeConfiguration", { settings: { "js/ts": preferences } });
  }

  /**
   * Asks in the light of all that has been shown.
   *
   * @throws ServerAnswerError if it refuses; InterruptError if it was interrupted
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
        // Another question may have started it already.
        if (this.#server === server && !this.#restarts.mayRestart()) throw error;
        if (this.#server === server) this.#server = undefined;
      } finally {
        this.#restLater();
      }
    }
  }

  /**
   * Rejects all questions that have no answer yet with InterruptError. The server is ended for it: TypeScript does not look
   * for a cancellation within a single type, which may take minutes. Another one starts and reads the libraries.
   *
   * @param file the file that was in question, which is empty from now on
   */
  interrupt(file: string): void {
    if (this.#isClosed) return;
    this.#server?.close(new InterruptError());
    this.#server = undefined;
    this.show(file, "");
    void this.warm(file);
  }

  /** What the numbers in answers about tokens mean. */
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
    this.#tell("textDocument/didOpen", { textDocument });
  }

  /** Whoever asks next is told if the server is no more. */
  #tell(method: string, params: object): void {
    void this.#server?.tell(method, params).catch(() => undefined);
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
