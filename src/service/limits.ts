/** Bounds on what one connection may cost. */
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
}

export const defaultLimits: Limits = {
  maxHeaderBytes: 65_536,
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 30_000,
  keepAliveTimeoutMs: 5_000,
  stalledTimeoutMs: 120_000,
};
