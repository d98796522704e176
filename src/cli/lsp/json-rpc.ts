import type { Readable, Writable } from "node:stream";
import { ArgumentError, SiteframeError } from "../../core/errors.js";
import { reasonOf, showValue } from "../../core/show-value.js";
import { type ResponseError, ServerAnswerError } from "../../kernel/engine/typescript/check/language-server.js";
import {
  framedMessage,
  MalformedMessageError,
  MessageReader,
} from "../../kernel/engine/typescript/check/message-stream.js";
import { ContentModifiedError } from "../../kernel/engine/typescript/notebook/notebook-language.js";

/** Error codes of the protocol (JSON-RPC 2.0, section 5.1; LSP 3.17, ErrorCodes). */
export const errorCodes = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internalError: -32603,
  serverNotInitialized: -32002,
  requestCancelled: -32800,
  contentModified: -32801,
  requestFailed: -32803,
} as const;

/** A request that the server refuses, with an error code of the protocol. */
export class RequestError extends SiteframeError {
  readonly answer: ResponseError;

  constructor(code: number, message: string) {
    super("ERR_LSP_REQUEST", message, { facts: { code } });
    this.answer = { code, message };
  }
}

interface Message {
  readonly id?: number | string | null;
  readonly method?: string;
  readonly params?: unknown;
}

/** Callbacks for messages from the client. */
export interface Handlers {
  /** Answers a request; a thrown error becomes the answer. Called in the order of the messages. */
  request(method: string, params: unknown): Promise<unknown>;
  notify(method: string, params: unknown): void;
  /** Called for errors outside of requests. */
  fail(error: unknown): void;
}

/** Connection to a JSON-RPC client over two streams. */
export class JsonRpc {
  readonly #output: Writable;
  readonly #handlers: Handlers;
  /** Ids of requests without an answer yet. */
  readonly #pending = new Set<number | string>();
  #lastId = 0;

  constructor(input: Readable, output: Writable, handlers: Handlers) {
    this.#output = output;
    this.#handlers = handlers;
    const reader = new MessageReader();
    input.on("data", (chunk: Buffer) => {
      for (const message of reader.read(chunk)) this.#take(message);
    });
  }

  notify(method: string, params: object): void {
    this.#write({ method, params });
  }

  /** Sends a request to the client. Its answer is ignored. */
  ask(method: string): void {
    this.#lastId += 1;
    this.#write({ id: `siteframe-${this.#lastId}`, method });
  }

  #take(message: unknown): void {
    if (message instanceof MalformedMessageError) {
      this.#write({ id: null, error: { code: errorCodes.parseError, message: message.toString() } });
      return;
    }
    if (typeof message !== "object" || message === null || Array.isArray(message)) {
      const error = { code: errorCodes.invalidRequest, message: "The message must be a JSON-RPC 2.0 object." };
      this.#write({ id: null, error });
      return;
    }
    const { id, method, params } = message as Message;
    // A message without a method is an answer.
    if (method === undefined) return;
    if (id === undefined || id === null) this.#notified(method, params);
    else if (this.#pending.has(id)) {
      const error = { code: errorCodes.invalidRequest, message: `The id ${showValue(id)} is used by another request.` };
      this.#write({ id, error });
    } else void this.#answer(id, method, params);
  }

  #notified(method: string, params: unknown): void {
    if (method === "$/cancelRequest") {
      const { id } = (params ?? {}) as { readonly id?: number | string };
      if (id === undefined || !this.#pending.delete(id)) return;
      this.#write({ id, error: { code: errorCodes.requestCancelled, message: "The request was cancelled." } });
      return;
    }
    try {
      this.#handlers.notify(method, params);
    } catch (error) {
      this.#handlers.fail(error);
    }
  }

  async #answer(id: number | string, method: string, params: unknown): Promise<void> {
    this.#pending.add(id);
    const answer = await this.#handlers.request(method, params).then(
      (result) => ({ result: result ?? null }),
      (error: unknown) => ({ error: responseError(error) }),
    );
    // A cancelled request has its answer already.
    if (this.#pending.delete(id)) this.#write({ id, ...answer });
  }

  #write(message: object): void {
    this.#output.write(framedMessage(message));
  }
}

/** An error in the form of the protocol, with its facts. */
function responseError(error: unknown): ResponseError {
  if (error instanceof RequestError || error instanceof ServerAnswerError) return error.answer;
  if (!(error instanceof SiteframeError)) return { code: errorCodes.internalError, message: reasonOf(error) };
  const { code, hint, facts } = error;
  const data = { code, ...(hint !== undefined && { hint }), facts };
  return { code: numberOf(error), message: hint === undefined ? error.message : `${error.message} ${hint}`, data };
}

function numberOf(error: SiteframeError): number {
  if (error instanceof ContentModifiedError) return errorCodes.contentModified;
  return error instanceof ArgumentError ? errorCodes.invalidParams : errorCodes.requestFailed;
}
