import { type ChildProcess, spawn } from "node:child_process";
import { Socket } from "node:net";
import { SiteframeError } from "../../../../core/errors.js";
import { framedMessage, MessageReader } from "./message-stream.js";
import { CompilerEndedError, hasGroups, nativeCompiler } from "./native-compiler.js";

/** What a language server answers that cannot answer, with its number (JSON-RPC 2.0, section 5.1; LSP 3.17, ErrorCodes). */
export interface ResponseError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** The language server refused to answer. */
export class ServerAnswerError extends SiteframeError {
  /** As the server has said it. */
  readonly answer: ResponseError;

  constructor(answer: ResponseError) {
    super("ERR_LANGUAGE_SERVER", `TypeScript: ${answer.message}`, { facts: { code: answer.code } });
    this.answer = answer;
  }
}

interface Answer {
  readonly id?: unknown;
  readonly method?: unknown;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: ResponseError;
}

interface Initialized {
  readonly capabilities?: {
    readonly semanticTokensProvider?: { readonly legend?: { readonly tokenTypes: readonly string[] } };
  };
}

interface Waiting {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** What the server may say that a name is. */
const tokenTypes = [
  ...["namespace", "class", "enum", "interface", "typeParameter", "type"],
  ...["parameter", "variable", "property", "enumMember", "function", "method"],
];

/** How a server is told what it is to do: the part of `initialize` that differs. */
export interface ServerSettings {
  readonly capabilities: object;
  readonly initializationOptions: object;
}

/**
 * What the server is to do for its users: nothing is fetched from the network.
 *
 * @param autoImports whether to look for imports that could be added
 */
export function userPreferences(autoImports: boolean): object {
  return { suggest: { autoImports }, tsserver: { automaticTypeAcquisition: { enabled: false } } };
}

/**
 * Nothing is pushed or written to a log.
 *
 * @param textDocument what is asked for; what is not is not computed
 */
export function serverSettings(textDocument: object): ServerSettings {
  return {
    capabilities: { textDocument },
    initializationOptions: {
      disablePushDiagnostics: true,
      logVerbosity: 0,
      userPreferences: userPreferences(false),
    },
  };
}

const cellSettings = serverSettings({
  diagnostic: { relatedInformation: true },
  completion: {},
  hover: { contentFormat: ["markdown"] },
  semanticTokens: { requests: { full: true }, formats: ["relative"], tokenModifiers: [], tokenTypes },
  signatureHelp: { signatureInformation: { documentationFormat: ["plaintext"] } },
});

/** How a server is run. */
interface ServerOptions {
  /** Whether it is asked a few things and ends: then it collects its garbage later. */
  readonly isBrief?: boolean;
  /** Default: those for cells that run. */
  readonly settings?: ServerSettings;
}

/** The compiler is written in Go. While it reads its libraries, little of what it holds is garbage. */
const lateCollection = { GOGC: "400" };

/** TypeScript's language server: one process, which starts at once and ends with this one. */
export class LanguageServer {
  readonly #process: ChildProcess;
  readonly #reader = new MessageReader();
  readonly #waiting = new Map<unknown, Waiting>();
  readonly #ready: Promise<unknown>;
  /** Resolves when it answers, or never will. */
  readonly started: Promise<void>;
  #count = 0;
  #end: Error | undefined;

  constructor(folder: string, { isBrief = false, settings = cellSettings }: ServerOptions = {}) {
    this.#process = spawn(nativeCompiler(), ["--lsp", "--stdio"], {
      cwd: folder,
      env: isBrief ? { ...lateCollection, ...process.env } : process.env,
      stdio: ["pipe", "pipe", "ignore"],
      detached: hasGroups,
      windowsHide: true,
    });
    this.#process.on("error", (error) => this.#fail(error));
    this.#process.on("exit", (code, signal) =>
      this.#fail(new CompilerEndedError(signal ? `by ${signal}` : `with code ${code}`)),
    );
    this.#process.stdin?.on("error", () => undefined);
    this.#process.stdout?.on("data", (chunk: Buffer) => {
      for (const message of this.#reader.read(chunk)) this.#take(message as Answer);
    });
    this.#process.unref();
    this.#ready = this.#request("initialize", { processId: process.pid, rootUri: null, ...settings });
    this.started = this.#ready.then(
      () => this.#write({ method: "initialized", params: {} }),
      () => undefined,
    );
  }

  /** Whether it still answers. */
  get isAlive(): boolean {
    return this.#end === undefined;
  }

  /** Asks a question, after all that was told before. Rejects if the process ends before it answers. */
  async ask(method: string, params: object): Promise<unknown> {
    await this.#ready;
    return this.#request(method, params);
  }

  /** What the numbers in its answers about tokens mean. */
  async tokenTypes(): Promise<readonly string[]> {
    const { capabilities } = (await this.#ready) as Initialized;
    return capabilities?.semanticTokensProvider?.legend?.tokenTypes ?? [];
  }

  /** Tells something that has no answer. */
  async tell(method: string, params: object): Promise<void> {
    await this.#ready;
    this.#write({ method, params });
  }

  /** @param reason what rejects the questions that have no answer yet */
  close(reason: Error = new CompilerEndedError("because it was closed")): void {
    this.#process.kill("SIGKILL");
    this.#fail(reason);
  }

  #request(method: string, params: object): Promise<unknown> {
    if (this.#end) return Promise.reject(this.#end);
    const id = ++this.#count;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#holdProcess();
      this.#write({ id, method, params });
    });
  }

  #take({ id, method, result, error }: Answer): void {
    if (method !== undefined) {
      // A request of the server's, such as to be told of changed settings, which do not change.
      if (id !== undefined) this.#write({ id, result: null });
      return;
    }
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    this.#holdProcess();
    if (error) waiting?.reject(new ServerAnswerError(error));
    else waiting?.resolve(result);
  }

  /** This process does not end while an answer is awaited, and may when none is. */
  #holdProcess(): void {
    // Also where the other one has ended, and this is not known yet.
    if (this.#waiting.size > 0) this.#process.ref();
    else this.#process.unref();
    for (const stream of [this.#process.stdout, this.#process.stdin]) {
      if (!(stream instanceof Socket)) continue;
      if (this.#waiting.size > 0) stream.ref();
      else stream.unref();
    }
  }

  #write(message: object): void {
    this.#process.stdin?.write(framedMessage(message));
  }

  #fail(error: Error): void {
    this.#end ??= error;
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
    this.#holdProcess();
  }
}

/** A server that ends more often than this in a minute is not started again. */
const maxRestarts = 5;
const minuteMs = 60_000;

/** Whether a server that has ended may be started again. */
export class RestartLimit {
  readonly #restarts: number[] = [];

  /** Is asked before each restart. */
  mayRestart(now = Date.now()): boolean {
    while (this.#restarts[0] !== undefined && this.#restarts[0] < now - minuteMs) this.#restarts.shift();
    if (this.#restarts.length >= maxRestarts) return false;
    this.#restarts.push(now);
    return true;
  }
}
