/** Bounds on what clients may cost. */
export interface Limits {
  /** Longest request line and headers together. 200 ids of 16 digits in bracketed form take about 9 KB. */
  readonly maxHeaderBytes: number;
  /** Longest wait for the headers of a request. */
  readonly headersTimeoutMs: number;
  /** Longest wait for a whole request, a body that nobody reads included. */
  readonly requestTimeoutMs: number;
  /** How long a connection is kept for the next request. */
  readonly keepAliveTimeoutMs: number;
  /** How long a connection may stand still in the midst of an answer. */
  readonly stalledTimeoutMs: number;
  /** How long a service that closes waits for clients to take the answers under way. */
  readonly graceMs: number;
  /** How often it is asked whether a client is still there that closed its side, or of which no more is read. */
  readonly probeMs: number;
}

export const defaultLimits: Limits = {
  maxHeaderBytes: 65_536,
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 30_000,
  keepAliveTimeoutMs: 5_000,
  stalledTimeoutMs: 120_000,
  graceMs: 30_000,
  probeMs: 1_000,
};
