import { endpoints } from "../../api/endpoints.js";
import type { ResourceName } from "../../api/resources.js";
import type { Row } from "../../api/select-records.js";
import { ArgumentError } from "../../core/errors.js";
import { showValue } from "../../core/show-value.js";

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
interface ResetFault {
  readonly fault: "reset";
  readonly at: "before-headers" | "after-headers";
}

/** Sends half of the body, then destroys the connection (`abrupt`) or claims that this was all (`clean`). */
export interface TruncateFault {
  readonly fault: "truncate";
  readonly end: "abrupt" | "clean";
}

/** Sends a body that can be neither decompressed nor parsed. */
interface GarbleFault {
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

/** What a member of a JSON object must be. */
interface Check {
  /** `a positive integer`, as it reads after "must be". */
  readonly expected: string;
  readonly accepts: (value: unknown) => boolean;
  readonly required?: boolean;
}

type Checks = Readonly<Record<string, Check>>;
type JsonMembers = Readonly<Record<string, unknown>>;

const object: Check = { expected: "an object", accepts: isObject };

const integer: Check = { expected: "an integer", accepts: Number.isSafeInteger };
const count = number("a whole number from 0", (value) => Number.isSafeInteger(value) && value >= 0);
const positive = number("a positive integer", (value) => Number.isSafeInteger(value) && value > 0);
const duration = number("a number from 0", (value) => value >= 0 && Number.isFinite(value));
const chance = number("a number from 0 to 1", (value) => value >= 0 && value <= 1);
const status = number("an error status", (value) => Number.isInteger(value) && value >= 400 && value <= 599);
const list: Check = { expected: "a list", accepts: Array.isArray };
const ids = listOf("a list of ids", (id) => typeof id === "string" || Number.isInteger(id));
const records = listOf("a list of records with ids", (record) => isObject(record) && Object.hasOwn(record, "id"));

const details: Readonly<Record<Fault["fault"], Checks>> = {
  delay: { latencyMs: required(duration), jitterMs: duration },
  status: { status: required(status), retryAfterS: duration, retryAfterAs: oneOf(["seconds", "date"]) },
  reset: { at: required(oneOf(["before-headers", "after-headers"])) },
  truncate: { end: required(oneOf(["abrupt", "clean"])) },
  garble: {},
  counts: { by: required(integer) },
};
const condition: Checks = {
  fault: required(oneOf(Object.keys(details))),
  path: oneOf(Object.values(endpoints).map(({ path }) => path)),
  first: count,
  every: positive,
  probability: chance,
};
const edit: Checks = {
  resource: required(oneOf(Object.keys(endpoints))),
  afterPages: required(count),
  put: records,
  remove: ids,
};
const file: Checks = { seed: integer, rules: list, edits: list };

/**
 * Reads a faults file.
 *
 * @param json text of the file
 * @throws ArgumentError with the JSON path of what is wrong
 */
export function parseFaults(json: string): Faults {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (cause) {
    throw new ArgumentError("The faults are no JSON.", { cause });
  }
  return checkFaults(value);
}

/**
 * Returns the value if it is an object with no members but these, each as it must be.
 *
 * @param path JSON path of the value
 * @throws ArgumentError with the JSON path of what is wrong
 */
function checkMembers(path: string, value: unknown, checks: Checks): JsonMembers {
  if (!isObject(value)) throw violation(path, object, value);
  for (const [name, check] of Object.entries(checks)) {
    const member = value[name];
    const isFine = member === undefined ? !check.required : check.accepts(member);
    if (!isFine) throw violation(`${path}.${name}`, check, member);
  }
  const unknown = Object.keys(value).find((name) => !Object.hasOwn(checks, name));
  if (unknown !== undefined) {
    throw new ArgumentError(`${path} has no member ${showValue(unknown)}.`, {
      hint: `It takes: ${Object.keys(checks).join(", ")}.`,
      facts: { path },
    });
  }
  return value;
}

/** Whether a value is a JSON object. */
function isObject(value: unknown): value is JsonMembers {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function violation(path: string, { expected }: Check, value: unknown): ArgumentError {
  return new ArgumentError(`${path} must be ${expected}, but got ${showValue(value)}.`, { facts: { path } });
}

/**
 * Returns the value if it describes faults.
 *
 * @throws ArgumentError with the JSON path of what is wrong
 */
export function checkFaults(value: unknown): Faults {
  const faults = checkMembers("faults", value, file);
  for (const [index, rule] of asList(faults["rules"]).entries()) {
    checkMembers(`faults.rules[${index}]`, rule, { ...condition, ...detailsOf(rule) });
  }
  for (const [index, item] of asList(faults["edits"]).entries()) checkMembers(`faults.edits[${index}]`, item, edit);
  return faults;
}

function detailsOf(rule: unknown): Checks {
  const known: ReadonlyMap<unknown, Checks> = new Map(Object.entries(details));
  return (isObject(rule) && known.get(rule["fault"])) || {};
}

function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function number(expected: string, accepts: (value: number) => boolean): Check {
  return { expected, accepts: (value) => typeof value === "number" && accepts(value) };
}

function oneOf(names: readonly unknown[]): Check {
  return { expected: `one of ${names.join(", ")}`, accepts: (value) => names.includes(value) };
}

function listOf(expected: string, accepts: (item: unknown) => boolean): Check {
  return { expected, accepts: (value) => Array.isArray(value) && value.every(accepts) };
}

function required(check: Check): Check {
  return { ...check, required: true };
}
