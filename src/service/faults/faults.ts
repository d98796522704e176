import { endpoints } from "../../api/endpoints.js";
import type { ResourceName } from "../../api/resources.js";
import type { Row } from "../../api/select-records.js";
import { FileError } from "../../core/errors.js";
import {
  integerFrom,
  list,
  numberFrom,
  type OptionRule,
  type OptionRules,
  oneOf,
  required,
  requireOptions,
} from "../../core/options.js";

/** The requests that a rule applies to: those matching every condition. */
export interface FaultCondition {
  /** Path of an endpoint: `/layerFeatures`. Requests with this path are counted from 1. */
  readonly path?: string;
  /** Only the first n of them. */
  readonly first?: number;
  /** Only every nth of them. */
  readonly every?: number;
  /** Each with this probability, between 0 and 1. */
  readonly probability?: number;
}

/** Delays the response by `latencyMs` and up to `jitterMs` more. */
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
  /** Form of `Retry-After`. Default: seconds. */
  readonly retryAfterAs?: "seconds" | "date";
}

/** Destroys the connection. */
interface ResetFault {
  readonly fault: "reset";
  readonly at: "before-headers" | "after-headers";
}

/** Sends half of the body, then destroys the connection (`abrupt`) or ends the response normally (`clean`). */
export interface TruncateFault {
  readonly fault: "truncate";
  readonly end: "abrupt" | "clean";
}

/** Sends a body that can be neither decompressed nor parsed. */
interface GarbleFault {
  readonly fault: "garble";
}

/** Sends a `rowCount` that is wrong by this number, as a stale count would be. */
export interface CountsFault {
  readonly fault: "counts";
  readonly by: number;
}

export type Fault = DelayFault | StatusFault | ResetFault | TruncateFault | GarbleFault | CountsFault;

/** A fault and the requests that it applies to. */
export type FaultRule = FaultCondition & Fault;

/** Rows that change between pages. */
export interface ScheduledEdit {
  readonly resource: ResourceName;
  /** Number of pages of the resource read before the edit, over all requests. */
  readonly afterPages: number;
  /** Records that replace the record with their id, or are new. */
  readonly put?: readonly Row[];
  /** Ids of records that are deleted. */
  readonly remove?: readonly (number | string)[];
}

/** Faults to inject, so that clients can be tested. The same seed gives the same faults. */
export interface Faults {
  readonly seed?: number;
  /** All rules that match a request apply, the first one outermost. */
  readonly rules?: readonly FaultRule[];
  readonly edits?: readonly ScheduledEdit[];
}

const duration = numberFrom(0);

/** Options of each fault except the condition. */
const details: { readonly [Name in Fault["fault"]]: OptionRules<Omit<Extract<Fault, { fault: Name }>, "fault">> } = {
  delay: { latencyMs: required(duration), jitterMs: duration },
  status: {
    status: required(integerFrom(400, 599)),
    retryAfterS: duration,
    retryAfterAs: oneOf("seconds", "date"),
  },
  reset: { at: required(oneOf("before-headers", "after-headers")) },
  truncate: { end: required(oneOf("abrupt", "clean")) },
  garble: {},
  counts: { by: required(integerFrom(-1_000_000_000, 1_000_000_000)) },
};

const condition: OptionRules<FaultCondition & Pick<Fault, "fault">> = {
  fault: required(oneOf(...Object.keys(details))),
  path: oneOf(...Object.values(endpoints).map(({ path }) => path)),
  first: integerFrom(0),
  every: integerFrom(1),
  probability: numberFrom(0, 1),
};

const editRules: OptionRules<ScheduledEdit> = {
  resource: required(oneOf(...Object.keys(endpoints))),
  afterPages: required(integerFrom(0)),
  put: listOf("records with ids", (record) => isObject(record) && Object.hasOwn(record, "id")),
  remove: listOf("ids", (id) => typeof id === "string" || Number.isInteger(id)),
};

const faultsRules: OptionRules<Faults> = { seed: integerFrom(0, Number.MAX_SAFE_INTEGER), rules: list, edits: list };

function listOf(items: string, accepts: (item: unknown) => boolean): OptionRule {
  return { takes: `an array of ${items}`, accepts: (value) => Array.isArray(value) && value.every(accepts) };
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * Parses a faults file.
 *
 * @param json content of the file
 * @throws ArgumentError with the JSON path of an invalid value
 */
export function parseFaults(json: string): Faults {
  let value: Faults;
  try {
    value = JSON.parse(json) as Faults;
  } catch (cause) {
    throw new FileError("Invalid faults file: not JSON.", { cause });
  }
  return checkFaults(value);
}

/** @throws ArgumentError with the JSON path of an invalid value */
export function checkFaults(faults: Faults): Faults {
  requireOptions("faults", faults, faultsRules);
  for (const [index, rule] of (faults.rules ?? []).entries()) {
    requireOptions<FaultRule>(`faults.rules[${index}]`, rule, { ...condition, ...detailsOf(rule) });
  }
  for (const [index, edit] of (faults.edits ?? []).entries()) {
    requireOptions(`faults.edits[${index}]`, edit, editRules);
  }
  return faults;
}

/** For an unknown fault every option is accepted: the error is about its name. */
function detailsOf(rule: Partial<FaultRule> | null): Readonly<Record<string, OptionRule>> {
  const rulesByKind = new Map<unknown, Readonly<Record<string, OptionRule>>>(Object.entries(details));
  return rulesByKind.get(rule?.fault) ?? Object.assign({}, ...rulesByKind.values());
}
