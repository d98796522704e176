import type { BodyBuffers } from "../../../client/http/body-buffers.js";
import type { Transport } from "../../../client/http/transport.js";
import type { Effects } from "../../../client/progress/effects.js";
import type { ResolvedTrinoOptions } from "./trino-options.js";
import type { TrinoServer } from "./trino-server.js";

/** What all requests to one Trino share. */
export interface TrinoService {
  readonly server: TrinoServer;
  readonly options: ResolvedTrinoOptions;
  readonly transport: Transport;
  readonly bodies: BodyBuffers;
  readonly effects: Effects;
  /** Aborts when the engine is closed. */
  readonly life: AbortSignal;
}

/** One request, however often it is sent. All of Trino's may be: a query runs from the first time that it is looked at. */
export interface TrinoRequest {
  readonly method: "GET" | "POST" | "DELETE";
  /** Path and query. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** The query that the request is about, for errors. */
  readonly queryId?: string | undefined;
  readonly retries?: number;
  readonly signal: AbortSignal;
}
