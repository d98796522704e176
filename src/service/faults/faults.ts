import type { ResourceName } from "../../api/resources.js";
import type { Row } from "../../api/row-filter.js";

/** Which requests a rule strikes: those that meet every condition given. */
export interface FaultCondition {
  /** Path of an endpoint: `/layerFeatures`. Requests are counted among those with this path, from 1. */
  readonly path?: string;
  /** Only the first n of them. */
  readonly first?: number;
  /** Only every nth of them. */
  readonly every?: number;
  /** Each with this chance, between 0 and 1. */
  readonly probability?: number;
}

/** Answers late, by `latencyMs` and up to `jitterMs` more. */
export interface DelayFault {
  readonly fault: "delay";
  readonly latencyMs: number;
  readonly jitterMs?: number;
}

/** Refuses with a status: 429, 500, 503. */
export interface StatusFault {
  readonly fault: "status";
  readonly status: number;
  /** Sends `Retry-After`. */
  readonly retryAfterS?: number;
  /** Form of `Retry-After`; seconds by default. */
  readonly retryAfterAs?: "seconds" | "date";
}

/** Destroys the connection. */
export interface ResetFault {
  readonly fault: "reset";
  readonly at: "before-headers" | "after-headers";
}

/** Sends half of the body, then destroys the connection (`abrupt`) or claims that this was all (`clean`). */
export interface TruncateFault {
  readonly fault: "truncate";
  readonly end: "abrupt" | "clean";
}

/** Sends a body that can be neither decompressed nor parsed. */
export interface GarbleFault {
  readonly fault: "garble";
}

/** States a `rowCount` that is off by so many rows, as a stale count would be. */
export interface CountsFault {
  readonly fault: "counts";
  readonly by: number;
}

export type Fault = DelayFault | StatusFault | ResetFault | TruncateFault | GarbleFault | CountsFault;

/** A fault and the requests that it strikes. */
export type FaultRule = FaultCondition & Fault;

/** Rows that change while they are being paged. */
export interface ScheduledEdit {
  readonly resource: ResourceName;
  /** How many pages of the resource are read before the edit, counted over all requests. */
  readonly afterPages: number;
  /** Records that replace the one with their id, or are new. */
  readonly put?: readonly Row[];
  /** Ids of records that are deleted. */
  readonly remove?: readonly (number | string)[];
}

/** What goes wrong on purpose, so that clients can be tested. The same seed gives the same faults. */
export interface Faults {
  readonly seed?: number;
  /** All rules that strike a request apply, the first one outermost. */
  readonly rules?: readonly FaultRule[];
  readonly edits?: readonly ScheduledEdit[];
}
