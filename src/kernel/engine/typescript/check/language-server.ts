import { type ChildProcess, spawn } from "node:child_process";
import { Socket } from "node:net";
import { SiteframeError } from "../../../../core/errors.js";
import { ownJson } from "../../../../core/json.js";
import { nativeCompiler } from "./native-compiler.js";

/** Kept as it is: a cell may replace it while it runs. */
const { parse } = JSON;

const separator = "\r\n\r\n";

/** Takes bytes as they come, and gives the messages of the Language Server Protocol in them. */
class MessageReader {
  #chunks: Buffer[] = [];
  #size = 0;
  #needed = 0;

  /** The messages that are complete now. */
  read(chunk: Buffer): readonly unknown[] {
    this.#chunks.push(chunk);
    this.#size += chunk.length;
    if (this.#size < this.#needed) return [];
    let rest = Buffer.concat(this.#chunks);
    const messages: unknown[] = [];
    for (let end = endOfMessage(rest); end !== undefined && end <= rest.length; end = endOfMessage(rest)) {
      messages.push(parse(rest.toString("utf8", rest.indexOf(separator) + separator.length, end)));
      rest = rest.subarray(end);
    }
    this.#chunks = [rest];
    this.#size = rest.length;
    this.#needed = endOfMessage(rest) ?? 0;
    return messages;
  }
}

/** The language server's process has ended. */
class ServerEndedError extends SiteframeError {
  constructor(how: string) {
    super("ERR_LANGUAGE_SERVER", `The TypeScript compiler ended ${how}.`, { hint: "Run the cell again." });
  }
}

interface Answer {
  readonly id?: unknown;
  readonly method?: unknown;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly message: string };
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

/** Nothing is pushed, written to a log, or fetched from the network; what we do not ask for is not computed. */
const initialization = {
  capabilities: {
    textDocument: {
      diagnostic: { relatedInformation: true },
      completion: {},
      hover: { contentFormat: ["markdown"] },
      semanticTokens: { requests: { full: true }, formats: ["relative"], tokenModifiers: [], tokenTypes },
      signatureHelp: { signatureInformation: { documentationFormat: ["plaintext"] } },
    },
  },
  initializationOptions: {
    disablePushDiagnostics: true,
    logVerbosity: 0,
    userPreferences: {
      suggest: { autoImports: false },
      tsserver: { automaticTypeAcquisition: { enabled: false } },
    },
  },
};

/** The compiler is written in Go. While it reads its libraries, little of what it holds is garbage. */
const lateCollection = { GOGC: "400" };

/** TypeScript's language server: one process, which starts at once and ends with this one. */
export class LanguageServer {
  readonly #process: ChildProcess;
  readonly #reader = new MessageReader();
  readonly #waiting = new Map<unknown, Waiting>();
  readonly #ready: Promise<unknown>;
  #count = 0;
  #end: Error | undefined;

  /** @param isBrief whether it is asked a few things and ends: then it collects its garbage later */
  constructor(folder: string, isBrief = false) {
    this.#process = spawn(nativeCompiler(), ["--lsp", "--stdio"], {
      cwd: folder,
      env: isBrief ? { ...lateCollection, ...process.env } : process.env,
      stdio: ["pipe", "pipe", "ignore"],
      windowsHide: true,
    });
    this.#process.on("error", (error) => this.#fail(error));
    this.#process.on("exit", (code, signal) =>
      this.#fail(new ServerEndedError(signal ? `by ${signal}` : `with code ${code}`)),
    );
    this.#process.stdin?.on("error", () => undefined);
    this.#process.stdout?.on("data", (chunk: Buffer) => {
      for (const message of this.#reader.read(chunk)) this.#take(message as Answer);
    });
    this.#process.unref();
    this.#ready = this.#request("initialize", { processId: process.pid, rootUri: null, ...initialization });
    this.#ready.then(
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

  close(): void {
    this.#process.kill("SIGKILL");
    this.#fail(new ServerEndedError("because it was closed"));
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
    if (error) waiting?.reject(new SiteframeError("ERR_LANGUAGE_SERVER", `TypeScript: ${error.message}`));
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
    // A cell may be running that has replaced `JSON.stringify`.
    const body = ownJson({ jsonrpc: "2.0", ...message });
    this.#process.stdin?.write(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
  }

  #fail(error: Error): void {
    this.#end ??= error;
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
    this.#holdProcess();
  }
}

/** Where the first message ends, if its head has come. */
function endOfMessage(bytes: Buffer): number | undefined {
  const head = bytes.indexOf(separator);
  if (head === -1) return undefined;
  const [, length] = /Content-Length: (\d+)/i.exec(bytes.toString("latin1", 0, head)) ?? [];
  return head + separator.length + Number(length);
}
