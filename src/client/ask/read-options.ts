import type { Dispatcher } from "undici";
import type { ResourceName } from "../../api/resources.js";
import type { Finding } from "../../core/finding.js";

/** How far a read has come. */
export interface Progress {
  /** What is read. */
  readonly resource: ResourceName;
  /** Rows that have arrived. */
  readonly rows: number;
  /** Rows to expect; undefined until every part of the read has told its count. */
  readonly total: number | undefined;
  /** How much of the read is done, from 0 to 1: by its rows, or by its parts while not all of them have told their counts. */
  readonly share: number;
  /** Bytes of response bodies so far, after decompression. */
  readonly bytes: number;
}

/** One request that was sent, for logging. Holds no key. */
export interface RequestEvent {
  /** Method of the request: GET. */
  readonly method: string;
  /** Its address, with its parameters. */
  readonly url: string;
  /** From 1; higher when the request was repeated. */
  readonly attempt: number;
  /** Status of the answer; undefined when none came. */
  readonly status: number | undefined;
  /** Time from sending it to the end of the body, or to the failure, in milliseconds. */
  readonly durationMs: number;
}

/** Options of a read: given to `connect()` for all reads, and to a call for one. */
export interface ReadOptions {
  /** Longest time for one request, body included, in milliseconds. Default 60,000. */
  readonly timeoutMs?: number | undefined;
  /** How often a failed request is sent again. Default 5. */
  readonly retries?: number | undefined;
  /** Requests under way at once. Default 6. */
  readonly concurrency?: number | undefined;
  /** Rows to ask for in one page; the largest that the service allows if absent. */
  readonly pageSize?: number | undefined;
  /**
   * Largest body of one answer, as it comes and unpacked, in bytes. Beyond it a smaller page is asked for, and where
   * there is none the read ends in a `ProtocolError`. Default 256,000,000; at most 536,870,888.
   */
  readonly maxBodyBytes?: number | undefined;
  /** Stops the read at once; it rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Called with each page that arrives. */
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  /**
   * Whether a read that takes longer than a second shows a bar, on a terminal (stderr) or below the cell of a
   * notebook. Default true for `connect()`, unless `onProgress` is given.
   */
  readonly progress?: boolean | undefined;
  /** Called with each request that has ended, for logging. */
  readonly onRequest?: ((event: RequestEvent) => void) | undefined;
  /** Called with each finding as it is made: the way to see those of `records` and `pages`. */
  readonly onFinding?: ((finding: Finding) => void) | undefined;
  /** Whether a record that breaks the contract is an error (default) or a finding. */
  readonly strict?: boolean | undefined;
  /** Whether person data is replaced with stable pseudonyms. Default false. */
  readonly redact?: boolean | undefined;
  /** An undici dispatcher to send requests with: a proxy, or a mock in tests. It is not closed by us. */
  readonly dispatcher?: Dispatcher | undefined;
}
