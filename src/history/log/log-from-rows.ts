import { type Diagnostic, withSeverity } from "../../core/diagnostic.js";
import { ArgumentError } from "../../core/errors.js";
import { LocalClock } from "../../core/local-clock.js";
import { showValue } from "../../core/show-value.js";
import type { CodedValues, LogTimes } from "../../tables/read/log-columns.js";
import { noTime, type ReadTime } from "../../tables/read/log-times.js";
import { withoutTemporal } from "../time/valid-time.js";
import {
  type ChangeIds,
  type ChangeLog,
  type Codes,
  codeArray,
  NONE,
  narrowCodes,
  type UserId,
  ValueDictionary,
} from "./change-log.js";
import { validOrder } from "./valid-order.js";

/** How to read a column of times. */
interface TimesAsked {
  readonly option: string;
  /** Whether numbers, which only give an order, are accepted instead of times. */
  readonly numbers: boolean;
  /** Reads a string. */
  readonly readTime: ReadTime;
  /** Indices of the rows in their table, for errors. Default: all rows. */
  readonly rows?: readonly number[];
}

/**
 * Reads times of rows: `Date`s, Temporal values, and strings.
 *
 * @throws ArgumentError with the row and the value
 */
export function readTimes(
  length: number,
  valueAt: (row: number) => unknown,
  { option, numbers, readTime, rows }: TimesAsked,
): LogTimes {
  const us = new Float64Array(length);
  const isLocal = new Uint8Array(length);
  let areTimes = false;
  let areNumbers = false;
  let areExact = true;
  for (let row = 0; row < length; row += 1) {
    const value = withoutTemporal(valueAt(row));
    const number = numbers ? orderNumber(value) : undefined;
    if (number !== undefined) {
      us[row] = Number(number);
      areNumbers = true;
      if (typeof number === "bigint" && !Number.isSafeInteger(Number(number))) areExact = false;
    } else {
      areTimes = true;
      if (value instanceof Date) us[row] = value.getTime() * 1000;
      else {
        const read = typeof value === "string" ? readTime(value) : undefined;
        us[row] = read?.us ?? Number.NaN;
        isLocal[row] = Number(read?.zoned === false);
      }
    }
    if (Number.isNaN(us[row])) throw noTime(option, value, rows?.[row] ?? row);
  }
  if (areTimes && areNumbers) {
    throw new ArgumentError(`fromChanges(): the column of \`${option}\` mixes times and numbers.`, {
      hint: "Convert its values to one type.",
      facts: { option },
    });
  }
  // Two integers beyond 2^53 can become the same JavaScript number. Only their order matters.
  if (!areExact) {
    return {
      us: ranks(length, (row) => orderNumber(withoutTemporal(valueAt(row))) ?? 0),
      isLocal: undefined,
      areTimes,
    };
  }
  return { us, isLocal: isLocal.includes(1) ? isLocal : undefined, areTimes: areTimes || length === 0 };
}

const INTEGER = /^-?\d+$/;
const DECIMAL = /^-?\d+\.\d+$/;

/** A number that gives an order, also as a string: integers beyond 2^53, and all numbers of CSV, are strings. */
function orderNumber(value: unknown): number | bigint | undefined {
  if (typeof value === "number" || typeof value === "bigint") return value;
  if (typeof value !== "string") return undefined;
  if (INTEGER.test(value)) return BigInt(value);
  return DECIMAL.test(value) ? Number(value) : undefined;
}

/** The rank of each row's number among the distinct ones. */
function ranks(length: number, numberAt: (row: number) => number | bigint): Float64Array {
  const rows = Array.from({ length }, (_, row) => row);
  rows.sort((a, b) => (numberAt(a) < numberAt(b) ? -1 : Number(numberAt(a) > numberAt(b))));
  const indexes = new Float64Array(length);
  let position = 0;
  for (const [index, row] of rows.entries()) {
    const before = rows[index - 1];
    if (before !== undefined && numberAt(before) < numberAt(row)) position += 1;
    indexes[row] = position;
  }
  return indexes;
}

/**
 * The instants of times. Times without a zone are local times in `timeZone`: in a DST overlap, the first occurrence is
 * used; times in a DST gap move forward by the gap.
 *
 * @param timeZone undefined if the caller gave none
 * @returns microseconds since 1970
 * @throws ArgumentError for a time without a zone if `timeZone` is undefined
 */
export function instantsOf({ us, isLocal }: LogTimes, timeZone: string | undefined, option: string): Float64Array {
  if (!isLocal) return us;
  if (timeZone === undefined) {
    throw new ArgumentError(
      `fromChanges(): \`${option}\` has times without a time zone (${isLocal.reduce((sum, one) => sum + one, 0)} in total, the first in row ${isLocal.indexOf(1)}).`,
      { hint: 'Set their time zone: timeZone: "Europe/Berlin", or timeZone: "UTC".', facts: { option } },
    );
  }
  if (timeZone === "UTC") return us;
  const clock = new LocalClock(timeZone);
  return us.map((time, row) => (isLocal[row] === 1 ? clock.instantOf(time) : time));
}

/** A log given as rows, one per change. */
export interface LogRows {
  /** Row of each change's feature; `NONE` for unknown features, whose changes are left out. */
  readonly rows: Int32Array;
  /** Index into `keys` of each change. */
  readonly keyCodes: Int32Array;
  readonly keys: readonly string[];
  readonly values: CodedValues;
  readonly previous: CodedValues | undefined;
  readonly users: CodedValues | undefined;
  /** Microseconds since 1970. */
  readonly timesUs: Float64Array;
  /** The order of insertion, and whether it consists of the times of recording; undefined for the order of rows. */
  readonly sequence: { readonly order: Float64Array; readonly areTimes: boolean } | undefined;
  /** Creation time of each feature; −Infinity if unknown. */
  readonly createdUs: Float64Array;
}

/** The log, with diagnostics. */
export interface ReadLog {
  readonly log: ChangeLog;
  readonly diagnostics: readonly Diagnostic[];
}

/** Puts rows into a log, in order of insertion, after the initial values that they contain. */
export function logFromRows(given: LogRows): ReadLog {
  const order = insertionOrder(given);
  const [rows, keyCodes] = [inOrder(given.rows, order), inOrder(given.keyCodes, order)];
  const timesUs = order ? Float64Array.from(order, (row) => given.timesUs[row] as number) : given.timesUs;
  const { values, valueCodes, previousCodes } = sharedValues(given, order);
  const { initial, contradictions } = previousCodes
    ? readPrevious({ rows, keyCodes, valueCodes, timesUs }, previousCodes, given)
    : { initial: noChanges, contradictions: [] };
  const count = initial.rows.length;
  const length = count + rows.length;
  const joined = <T extends Codes | Float64Array>(target: T, first: ArrayLike<number>, second: ArrayLike<number>) => {
    target.set(first);
    target.set(second, first.length);
    return target;
  };
  const { sequence, users = noUsers } = given;
  const log: ChangeLog = {
    length,
    initial: count,
    ids: new RankIds(length, count, sequence?.areTimes ? recordedUs(sequence.order, order) : undefined),
    rows: joined(new Int32Array(length), initial.rows, rows),
    keyCodes: joined(codeArray(given.keys.length, length), initial.keyCodes, keyCodes),
    keys: given.keys,
    valueCodes: joined(codeArray(values.length, length), initial.valueCodes, valueCodes),
    values,
    timesUs: joined(new Float64Array(length), initial.timesUs, timesUs),
    system: new Uint8Array(length),
    userCodes: shownUsers(
      behind(count, users === noUsers ? rows.map(() => NONE) : inOrder(users.codes, order)),
      users.values.length,
    ),
    users: [null, ...(users.values as readonly UserId[])],
    causes: new Int32Array(length).fill(NONE),
    outsideCauses: [],
  };
  return { log, diagnostics: contradictionDiagnostic(contradictions, log, given) };
}

/**
 * Values of all columns in one list, in which null is entry 0 as in every log, and their codes in the order of the log.
 */
function sharedValues({ values, previous }: LogRows, order: Int32Array | undefined) {
  // Distinct values of one column need no lookup.
  if (values.areDistinct && !previous) {
    const codes = inOrder(values.codes, order);
    const valueCodes = new Int32Array(codes.length);
    for (let change = 0; change < codes.length; change += 1) valueCodes[change] = (codes[change] as number) + 1;
    return { values: [null, ...values.values], valueCodes, previousCodes: undefined };
  }
  const shared = new ValueDictionary([null]);
  const codesOf = ({ codes, values: list }: CodedValues) => {
    const codeOf = Int32Array.from(list, (value) => shared.code(value));
    return inOrder(codes, order).map((code) => (code === NONE ? 0 : (codeOf[code] as number)));
  };
  const valueCodes = codesOf(values);
  return { values: shared.values, valueCodes, previousCodes: previous && codesOf(previous) };
}

function recordedUs(times: Float64Array, order: Int32Array | undefined): Float64Array {
  return order ? Float64Array.from(order, (row) => times[row] as number) : times;
}

const noUsers: CodedValues = { codes: new Int32Array(0), values: [] };

/** Codes with a number of zeros in front. */
function behind(count: number, codes: Int32Array): Int32Array {
  const all = new Int32Array(count + codes.length).fill(NONE, 0, count);
  all.set(codes, count);
  return all;
}

/** Entry 0 stands for no user. */
function shownUsers(codes: Int32Array, count: number): Codes {
  for (let change = 0; change < codes.length; change += 1) codes[change] = (codes[change] as number) + 1;
  return narrowCodes(codes, count + 1);
}

/** The changes of known features in order of insertion: indices of rows; undefined for all rows in their order. */
function insertionOrder({ rows, sequence }: LogRows): Int32Array | undefined {
  const rowsOfFeatures = rows.includes(NONE)
    ? Int32Array.from(rows.keys()).filter((row) => rows[row] !== NONE)
    : undefined;
  if (!sequence) return rowsOfFeatures;
  const { order } = sequence;
  const indexes = rowsOfFeatures ?? Int32Array.from(rows.keys());
  // The sort is stable: rows with equal sequence keep their order.
  return indexes.sort((a, b) => (order[a] as number) - (order[b] as number) || a - b);
}

/** A column in another order. */
function inOrder(column: Int32Array, order: Int32Array | undefined): Int32Array {
  return order ? order.map((row) => column[row] as number) : column;
}

/** Changes in order of insertion. */
interface Changes {
  readonly rows: Int32Array;
  readonly keyCodes: Int32Array;
  readonly valueCodes: Int32Array;
  readonly timesUs: Float64Array;
}

const noChanges: Changes = {
  rows: new Int32Array(0),
  keyCodes: new Int32Array(0),
  valueCodes: new Int32Array(0),
  timesUs: new Float64Array(0),
};

/**
 * Compares the previous values in changes with the log: before the first change of a cell they are initial values, and
 * otherwise a value that differs from the one before is a contradiction.
 */
function readPrevious(
  { rows, keyCodes, valueCodes, timesUs }: Changes,
  previousCodes: Int32Array,
  { keys, createdUs }: LogRows,
): { readonly initial: Changes; readonly contradictions: readonly Contradiction[] } {
  const presentUs = createdUs.slice();
  for (let change = 0; change < rows.length; change += 1) {
    const row = rows[change] as number;
    presentUs[row] = Math.min(presentUs[row] as number, timesUs[change] as number);
  }
  const lastOf = new Map<number, number>();
  const firsts: number[] = [];
  const contradictions: Contradiction[] = [];
  for (const change of validOrder(timesUs)) {
    const cell = (rows[change] as number) * keys.length + (keyCodes[change] as number);
    const before = lastOf.get(cell);
    lastOf.set(cell, change);
    if (before === undefined) firsts.push(change);
    else if (valueCodes[before] !== previousCodes[change]) contradictions.push({ change, before });
  }
  // The oldest values come first, so that the log begins in order of time.
  const since = (change: number) => presentUs[rows[change] as number] as number;
  firsts.sort((a, b) => compareNumbers(since(a), since(b)) || a - b);
  return {
    initial: {
      rows: Int32Array.from(firsts, (change) => rows[change] as number),
      keyCodes: Int32Array.from(firsts, (change) => keyCodes[change] as number),
      valueCodes: Int32Array.from(firsts, (change) => previousCodes[change] as number),
      timesUs: Float64Array.from(firsts, since),
    },
    contradictions,
  };
}

/** The difference of two infinite numbers is NaN. */
function compareNumbers(a: number, b: number): number {
  return a < b ? -1 : Number(a > b);
}

/** A change whose previous value contradicts the log: indices in the log, without initial values. */
interface Contradiction {
  readonly change: number;
  readonly before: number;
}

/** Maximum number in a diagnostic. */
const NAMED = 3;

function contradictionDiagnostic(
  contradictions: readonly Contradiction[],
  log: ChangeLog,
  { keys }: LogRows,
): readonly Diagnostic[] {
  if (contradictions.length === 0) return [];
  const have = contradictions.length === 1 ? "change has" : "changes have";
  const columns = [
    ...new Set(contradictions.map(({ change }) => keys[log.keyCodes[log.initial + change] as number] as string)),
  ];
  return [
    withSeverity({
      code: "previous-value-differs",
      message: `${contradictions.length} ${have} a previous value that differs from the log (${columns
        .slice(0, NAMED)
        .map((name) => showValue(name))
        .join(", ")}${columns.length > NAMED ? ", …" : ""}): changes are missing or out of order.`,
      count: contradictions.length,
      facts: { columns, seq: contradictions.slice(0, 100).map(({ change }) => change) },
    }),
  ];
}

/** Ids for changes without ids: their rank of insertion. */
class RankIds implements ChangeIds {
  readonly length: number;
  readonly #initial: number;
  readonly #recordedUs: Float64Array | undefined;

  /** @param recordedUs when each was recorded, after the initial values; undefined if unknown */
  constructor(length: number, initial: number, recordedUs: Float64Array | undefined) {
    this.length = length;
    this.#initial = initial;
    this.#recordedUs = recordedUs;
  }

  at(row: number): string {
    return String(row - this.#initial);
  }

  first(length: number): ChangeIds {
    return new RankIds(length, Math.min(this.#initial, length), this.#recordedUs);
  }

  countUpTo(id: string): number {
    throw new ArgumentError(`Unknown change id ${showValue(id)}: the changes of this log have no ids.`, {
      hint: "Use a time, and pass fromChanges() a `sequence` with the time at which each change was recorded.",
    });
  }

  timeMs(row: number): number | undefined {
    const us = this.#recordedUs?.[Math.max(row - this.#initial, 0)];
    return us === undefined ? undefined : Math.floor(us / 1000);
  }
}
