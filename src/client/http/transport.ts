import type { Agent, Dispatcher } from "undici";
import { safeConnector } from "./connector.js";

/** Connections of a reader: opened on first use, kept alive between requests. */
export interface Transport {
  readonly dispatcher: () => Promise<Dispatcher>;
  readonly close: () => Promise<void>;
}

/**
 * Loads undici with the first request, so that importing this module is cheap. The import contains the file name, since
 * Bun replaces the bare name with its own module, whose pools send nothing.
 */
const loadUndici = () => import("undici/index.js");

/** Connections to any origin, at most `connections` to each. */
export async function openAgent(connections: number): Promise<Agent> {
  const undici = await loadUndici();
  return new undici.Agent({ connections, connect: safeConnector(undici) });
}

/** Connections to one origin. */
export function poolTransport(origin: string): Transport {
  let pool: Promise<Dispatcher> | undefined;
  return {
    dispatcher() {
      pool ??= loadUndici().then((undici) => new undici.Pool(origin, { connect: safeConnector(undici) }));
      return pool;
    },
    async close() {
      const open = pool;
      pool = undefined;
      await (await open)?.close();
    },
  };
}

/** Errors that another attempt cannot fix, such as an unknown host or invalid certificate. */
const FINAL =
  /^(ENOTFOUND|ERR_TLS_|CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|ERR_INVALID|UND_ERR_INVALID_ARG|UND_ERR_DESTROYED|UND_ERR_CLOSED)/;

/** Description of an error below HTTP. */
interface NetworkReason {
  /** Code of Node or undici; empty if missing. */
  readonly code: string;
  readonly reason: string;
  /** Whether another attempt would fail, too. */
  readonly isFinal: boolean;
  /** A copy of the error without the properties that libraries attach: headers contain the key. */
  readonly cause: Error;
}

/** Returns the description of an error below HTTP. */
export function networkReason(error: unknown): NetworkReason {
  const code = errorCode(error);
  const reason = reasonOf(error);
  return { code, reason, isFinal: FINAL.test(code), cause: Object.assign(new Error(reason), { code }) };
}

function errorCode(error: unknown): string {
  const code = typeof error === "object" && error !== null && "code" in error ? error.code : undefined;
  return typeof code === "string" ? code : "";
}

/** Node reports several failed addresses as one AggregateError without a message. */
function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return reasonOf(error.errors[0]);
  const text = error instanceof Error ? error.message || error.name : String(error);
  return text.replace(/\.$/, "");
}
