import type { ResourceName } from "../api/resources.js";

/** How far a read has come. */
export interface Progress {
  readonly resource: ResourceName;
  /** Rows that have arrived. */
  readonly rows: number;
  /** Rows to expect, as far as is known. */
  readonly total: number | undefined;
  /** Bytes of response bodies so far, after decompression. */
  readonly bytes: number;
}

/** One request that was sent, for logging. Holds no key. */
export interface RequestEvent {
  readonly method: string;
  readonly url: string;
  /** From 1; higher when the request was repeated. */
  readonly attempt: number;
  /** Status of the answer; undefined when none came. */
  readonly status: number | undefined;
  readonly durationMs: number;
}

/** Options of a read: given to `connect()` for all reads, and to a call for one. */
export interface ReadOptions {
  /** Longest time for one request, body included, in milliseconds. */
  readonly timeoutMs?: number;
  /** How often a failed request is sent again. */
  readonly retries?: number;
  /** Requests under way at once. */
  readonly concurrency?: number;
  /** Rows to ask for in one page; the largest that the service allows if absent. */
  readonly pageSize?: number;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: Progress) => void;
  readonly onRequest?: (event: RequestEvent) => void;
  /** Whether a record that breaks the contract is an error (default) or a finding. */
  readonly strict?: boolean;
  /** Whether person data is replaced with stable pseudonyms. */
  readonly redact?: boolean;
}
