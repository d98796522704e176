import { unsentError } from "../engine/cell/cell-errors.js";
import type { CellError } from "../engine/cell/language-engine.js";
import type { CellOutput } from "../threads/thread-messages.js";
import { type Content, contentText, type Message } from "../wire/message.js";
import type { Publisher } from "./publisher.js";

const defaultLimit = 5_000_000;

/** Cuts the text that one cell prints, which is stored in the notebook, and appends a note. */
class StreamLimit {
  #left: number;
  readonly #limit: number;

  constructor(limit = defaultLimit) {
    this.#limit = limit;
    this.#left = limit;
  }

  /** The part of `text` within the limit. */
  cut(text: string): string {
    if (this.#left < 0) return "";
    this.#left -= text.length;
    if (this.#left >= 0) return text;
    const part = text.slice(0, text.length + this.#left);
    return `${part}\n… output truncated after ${this.#limit} characters\n`;
  }
}

/** An `execute_request` with its defaults filled in. */
export interface ExecuteRequest {
  readonly code: string;
  readonly silent: boolean;
  readonly storeHistory: boolean;
  readonly userExpressions: Readonly<Record<string, string>>;
  readonly allowStdin: boolean;
  readonly stopOnError: boolean;
}

export function readExecuteRequest(content: Content): ExecuteRequest {
  const silent = content["silent"] === true;
  const expressions = content["user_expressions"];
  return {
    code: contentText(content, "code"),
    silent,
    storeHistory: !silent && content["store_history"] !== false,
    userExpressions: Object.fromEntries(
      Object.entries(typeof expressions === "object" && expressions !== null ? expressions : {}).map(
        ([name, expression]) => [name, String(expression)],
      ),
    ),
    allowStdin: content["allow_stdin"] === true,
    stopOnError: content["stop_on_error"] !== false,
  };
}

/** A cell that runs or has run, or a message to a comm. */
export interface Running {
  readonly message: Message;
  readonly request: ExecuteRequest;
  readonly payload: Content[];
  readonly limit: StreamLimit;
  isOver: boolean;
  /** The error of a cell that failed outside of its code. */
  failure?: CellError;
}

/** Runs are kept, so that late output finds its cell; a kernel may run for weeks. */
const remembered = 10_000;

/** The runs of a kernel, for all shells, and their outputs. */
export class Runs {
  readonly #publisher: Publisher;
  readonly #runs = new Map<number, Running>();
  #count = 0;
  #hidden = 0;

  constructor(publisher: Publisher) {
    this.#publisher = publisher;
  }

  /** Number of cells in the history. */
  get count(): number {
    return this.#count;
  }

  /** The next cell's name and number. */
  number(isStored: boolean): { readonly name: string; readonly execution_count: number } {
    if (isStored) this.#count++;
    return {
      name: isStored ? `Cell ${this.#count}` : `Hidden cell ${++this.#hidden}`,
      execution_count: this.#count,
    };
  }

  begin(run: number, message: Message, request: ExecuteRequest): Running {
    const running: Running = { message, request, payload: [], limit: new StreamLimit(), isOver: false };
    this.#runs.set(run, running);
    this.#runs.delete(run - remembered);
    return running;
  }

  /** Assigns the output of callbacks without a cell to `message`. */
  adopt(run: number, message: Message): void {
    this.begin(run, message, readExecuteRequest({})).isOver = true;
  }

  /** The request of a run that may have ended, and whether the user can be asked. */
  requestOf(run: number): { readonly message: Message; readonly allowStdin: boolean } | undefined {
    const running = this.#runs.get(run);
    return running && { message: running.message, allowStdin: running.request.allowStdin };
  }

  show(run: number, output: CellOutput): void {
    const running = this.#runs.get(run);
    if (!running || running.request.silent) return;
    const publisher = this.#publisher;
    const parent = running.message.header;
    switch (output.type) {
      case "stream": {
        const text = running.limit.cut(output.text);
        if (text !== "") publisher.stream(output.name, text, parent);
        return;
      }
      case "display": {
        const { id, update } = output.target ?? {};
        const type = update ? "update_display_data" : "display_data";
        const transient = id === undefined ? {} : { display_id: id };
        publisher.publish(type, { data: output.bundle, metadata: {}, transient }, parent);
        return;
      }
      case "clear":
        publisher.publish("clear_output", { wait: output.wait }, parent);
        return;
      case "page":
        running.payload.push({ source: "page", data: output.bundle, start: 0 });
    }
  }

  /** An output that cannot be sent fails its cell. If the cell has ended, the error is shown below it. */
  unsent(run: number, error: unknown): void {
    const running = this.#runs.get(run);
    if (!running) return;
    const failure = unsentError(error);
    if (!running.isOver) running.failure ??= failure;
    else this.#publisher.stream("stderr", `${failure.traceback.join("\n")}\n`, running.message.header);
  }
}
