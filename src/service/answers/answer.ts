/** The response to a request. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: readonly Uint8Array[];
  /** Position at which the connection is destroyed instead of completing the response: an injected fault. */
  readonly cut?: "before-headers" | "after-headers" | "half-way";
  /** Frees the memory of the body. Called at most once, after the body is no longer needed. */
  readonly release?: (() => void) | undefined;
}

/** Length of a body in bytes. */
export function bodyLength(answer: Answer): number {
  return answer.body.reduce((sum, chunk) => sum + chunk.byteLength, 0);
}

/** An error as the service sends it: `{ "error": { "status", "code", "message" } }`. */
export function errorAnswer(error: HttpError): Answer {
  const { status, code, message } = error;
  return {
    status,
    headers: {
      "Content-Type": "application/json; charset=utf-8",
      "Cache-Control": "no-store",
      ...error.headers,
    },
    body: [Buffer.from(JSON.stringify({ error: { status, code, message } }))],
  };
}

/** A response other than the requested page. */
export class HttpError extends Error {
  readonly status: number;
  /** Stable name of the reason: `invalid_query`. */
  readonly code: string;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, code: string, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message);
    this.name = "HttpError";
    this.status = status;
    this.code = code;
    this.headers = headers;
  }
}
