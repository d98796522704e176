/** An answer other than the page that was asked for. */
export class HttpError extends Error {
  readonly status: number;
  /** Stable name of the reason, for programs: `invalid_query`. */
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
