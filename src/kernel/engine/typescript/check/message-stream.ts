import { MAX_DEPTH } from "../../../../core/depth.js";
import { SiteframeError } from "../../../../core/errors.js";
import { nestsDeeper, ownJson } from "../../../../core/json.js";

/** Saved: a cell may replace it while it runs. */
const { parse } = JSON;

const separator = "\r\n\r\n";

/**
 * Invalid message: its header lacks a length, or its body is invalid JSON or nested too deeply. Later messages are
 * still read.
 */
export class MalformedMessageError extends SiteframeError {
  constructor(message: string, cause?: unknown) {
    super("ERR_MALFORMED_MESSAGE", message, {
      hint: "Send `Content-Length: <bytes>`, an empty line, and JSON.",
      cause,
    });
  }
}

/** Encodes a JSON-RPC message for the Language Server Protocol: its length, then its body (3.17, base protocol). */
export function framedMessage(message: object): string {
  // A running cell may have replaced `JSON.stringify`.
  const body = ownJson({ jsonrpc: "2.0", ...message });
  return `Content-Length: ${Buffer.byteLength(body)}${separator}${body}`;
}

/** Decodes messages of the Language Server Protocol from a stream of bytes. */
export class MessageReader {
  #chunks: Buffer[] = [];
  #size = 0;
  #needed = 0;

  /** Returns the messages that are complete now, and a `MalformedMessageError` for each invalid one. */
  read(chunk: Buffer): readonly unknown[] {
    this.#chunks.push(chunk);
    this.#size += chunk.length;
    if (this.#size < this.#needed) return [];
    let rest = Buffer.concat(this.#chunks);
    const messages: unknown[] = [];
    for (let frame = firstFrame(rest); frame && frame.end <= rest.length; frame = firstFrame(rest)) {
      messages.push(frame.error ?? bodyOf(rest.toString("utf8", frame.start, frame.end)));
      rest = rest.subarray(frame.end);
    }
    this.#chunks = [rest];
    this.#size = rest.length;
    this.#needed = firstFrame(rest)?.end ?? 0;
    return messages;
  }
}

interface Frame {
  readonly start: number;
  readonly end: number;
  readonly error?: MalformedMessageError;
}

/** The range of the first message, if its header has arrived. */
function firstFrame(bytes: Buffer): Frame | undefined {
  const head = bytes.indexOf(separator);
  if (head === -1) return undefined;
  const start = head + separator.length;
  const text = bytes.toString("latin1", 0, head);
  const [, length] = /(?:^|\n)Content-Length: *(\d+)\s*(?:\r|$)/i.exec(text) ?? [];
  if (length !== undefined) return { start, end: start + Number(length) };
  return { start, end: start, error: new MalformedMessageError(`Message header without Content-Length: ${text}`) };
}

function bodyOf(json: string): unknown {
  if (nestsDeeper(json)) {
    return new MalformedMessageError(`Message body nested deeper than ${MAX_DEPTH} levels.`);
  }
  try {
    return parse(json) as unknown;
  } catch (cause) {
    return new MalformedMessageError("Message body is invalid JSON.", cause);
  }
}
