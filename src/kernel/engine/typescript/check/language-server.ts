import { type ChildProcess, spawn } from "node:child_process";
import { Socket } from "node:net";
import { SiteframeError } from "../../../../core/errors.js";
import { framedMessage, MessageReader } from "./message-stream.js";
import { CompilerEndedError, hasGroups, nativeCompiler } from "./native-compiler.js";

/** Error of a language server that cannot answer, with its number (JSON-RPC 2.0, section 5.1; LSP 3.17, ErrorCodes). */
export interface ResponseError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** The language server refused to answer. */
export class ServerAnswerError extends SiteframeError {
  /** The server's own message. */
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

/** Semantic token types that the server may report. */
const tokenTypes = [
  ...["namespace", "class", "enum", "interface", "typeParameter", "type"],
  ...["parameter", "variable", "property", "enumMember", "function", "method"],
];

/** The part of `initialize` that differs between servers. */
export interface ServerSettings {
  readonly capabilities: object;
  readonly initializationOptions: object;
}

/**
 * Settings of the server: no network access.
 *
 * @param autoImports whether to look for imports that could be added
 */
export function userPreferences(autoImports: boolean): object {
  return { suggest: { autoImports }, tsserver: { automaticTypeAcquisition: { enabled: false } } };
}

/**
 * Nothing is pushed or written to a log.
 *
 * @param textDocument requested features; other features are not computed
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

/** Options for running a server. */
interface ServerOptions {
  /** Whether it gets a few requests and ends: garbage is then collected later. */
  readonly isBrief?: boolean;
  /** Default: settings for cells that run. */
  readonly settings?: ServerSettings;
}

/** The compiler is written in Go. While it reads its libraries, little of its memory is garbage. */
const lateCollection = { GOGC: "400" };

/** TypeScript's language server: one process, which starts at once and ends with this one. */
export class LanguageServer {
  readonly #process: ChildProcess;
  readonly #reader = new MessageReader();
  readonly #waiting = new Map<unknown, Waiting>();
  readonly #ready: Promise<unknown>;
  /** Resolves when it has replied, or never will. */
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

  /** Whether it still replies. */
  get isAlive(): boolean {
    return this.#end === undefined;
  }

  /** Sends a request, after all notifications so far. Rejects if the process ends before it replies. */
  async ask(method: string, params: object): Promise<unknown> {
    await this.#ready;
    return this.#request(method, params);
  }

  /** The legend of its semantic tokens. */
  async tokenTypes(): Promise<readonly string[]> {
    const { capabilities } = (await this.#ready) as Initialized;
    return capabilities?.semanticTokensProvider?.legend?.tokenTypes ?? [];
  }

  /** Sends a notification. */
  async notify(method: string, params: object): Promise<void> {
    await this.#ready;
    this.#write({ method, params });
  }

  /** @param reason rejects the pending requests */
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
      // A request of the server, for example to register for changed settings, which do not change.
      if (id !== undefined) this.#write({ id, result: null });
      return;
    }
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    this.#holdProcess();
    if (error) waiting?.reject(new ServerAnswerError(error));
    else waiting?.resolve(result);
  }

  /** Keeps this process alive only while a request is pending. */
  #holdProcess(): void {
    // Also if the other process has ended and this is not yet known.
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

/** A server that ends more often than this in a minute is not restarted. */
const maxRestarts = 5;
const minuteMs = 60_000;

/** Whether an ended server may be restarted. */
export class RestartLimit {
  readonly #restarts: number[] = [];

  /** Called before each restart. */
  mayRestart(now = Date.now()): boolean {
    while (this.#restarts[0] !== undefined && this.#restarts[0] < now - minuteMs) this.#restarts.shift();
    if (this.#restarts.length >= maxRestarts) return false;
    this.#restarts.push(now);
    return true;
  }
}

/** A signature in a block of code, followed by its documentation. */
const hoverText = /^```\w*\n([\s\S]*?)\n```\n?([\s\S]*)$/;

/** The language server's hover text for a name, in two parts; undefined if it has none. */
export function splitHover(hover: unknown): { readonly signature: string; readonly documentation: string } | undefined {
  const { contents } = (hover ?? {}) as { readonly contents?: { readonly value: string } };
  const [, signature, documentation = ""] = hoverText.exec(contents?.value ?? "") ?? [];
  if (signature === undefined) return undefined;
  // Only the compiler treats names of earlier cells as imports.
  return {
    signature: signature.replace(/^\(alias\) /, "").replace(/\nimport .*$/, ""),
    documentation: withoutTags(documentation.trim()),
  };
}

/** A tag of a documentation comment as the language server writes it, with the name of a parameter. */
const TAG = /^\*@(\w+)\*(?: (`[^`\n]+`))?( [—-](?= ))?/gm;

/** Documentation in Markdown, with a list of the parameters, and a label instead of each other tag. */
export function withoutTags(documentation: string): string {
  return documentation.replace(TAG, (_, tag: string, name = "", dash?: string) => {
    if (tag === "param" && name !== "") return `- ${name}${dash ? ":" : ""}`;
    return `**${tag.charAt(0).toUpperCase()}${tag.slice(1)}**${name === "" ? "" : ` ${name}`}`;
  });
}
