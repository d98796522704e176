import { binarySearch } from "../../core/binary-search.js";
import { freeMemory } from "../../core/free-memory.js";
import { canonicalJson } from "../../core/json.js";
import { compareUuids, packUuid, UUID_WORDS, uuidText } from "../../core/uuid.js";
import type { Column } from "../../tables/column/column.js";

/** No change, no column, no cause. */
export const NONE = -1;

/** Codes of a dictionary, as narrow as its size allows. */
export type Codes = Uint8Array | Uint16Array | Int32Array;

/** The property-change log of a layer's features in columns, one entry per change, in order of insertion. */
export interface ChangeLog {
  readonly length: number;
  /**
   * Number of initial values at the beginning: contents of cells before their first change. They are not changes, and
   * are excluded from lists of changes and ranks of insertion.
   */
  readonly initial: number;
  /** Ascending, so that the index of a change is its insertion rank (`seq`), after the initial values. */
  readonly ids: ChangeIds;
  /** Row of the changed feature in the layer. */
  readonly rows: Int32Array;
  /** Index into `keys`. */
  readonly keyCodes: Codes;
  /** Property keys in the log, in canonical form. */
  readonly keys: readonly string[];
  /** Index into `values`. */
  readonly valueCodes: Codes;
  /** Entry 0 is null. Equal values have equal codes. */
  readonly values: readonly unknown[];
  /** Valid time, microseconds since 1970. */
  readonly timesUs: Float64Array;
  /** 1 for changes made by the system. */
  readonly system: Uint8Array;
  /** Index into `users`. */
  readonly userCodes: Codes;
  readonly users: readonly (UserId | null)[];
  /** Index of the change that caused each; `NONE` for direct changes; from −2 down, an index into `outsideCauses`. */
  readonly causes: Int32Array;
  /** Ids of causes that are not in the log: entry `i` is the cause `−2 − i`. */
  readonly outsideCauses: readonly string[];
}

/** A user in a log: a number, or a name. */
export type UserId = number | string;

/** The ids of changes, in order of insertion. */
export interface ChangeIds {
  readonly length: number;
  at(row: number): string;
  /** The first ids, without a copy. */
  first(length: number): ChangeIds;
  /** Number of ids up to and including another. */
  countUpTo(id: string): number;
  /** When a change was inserted, in milliseconds since 1970; undefined if its id contains no time. */
  timeMs(row: number): number | undefined;
}

/** An array for codes of a dictionary. */
export function codeArray(dictionarySize: number, length: number): Codes {
  if (dictionarySize <= 0x100) return new Uint8Array(length);
  return dictionarySize <= 0x1_0000 ? new Uint16Array(length) : new Int32Array(length);
}

/**
 * Codes in the narrowest array for their dictionary: the same array if it fits, else a copy, which frees the wider one.
 */
export function narrowCodes(codes: Codes, dictionarySize: number): Codes {
  if (codeArray(dictionarySize, 0).BYTES_PER_ELEMENT === codes.BYTES_PER_ELEMENT) return codes;
  const narrowed = codeArray(dictionarySize, codes.length);
  narrowed.set(codes);
  freeMemory(codes);
  return narrowed;
}

/** Distinct ids of causes that are not in a log. */
export class OutsideCauses {
  readonly ids: string[] = [];
  readonly #codes = new Map<string, number>();

  constructor(ids: readonly string[] = []) {
    for (const id of ids) this.code(id);
  }

  /** The value for a cause in `ChangeLog.causes`: from −2 down. */
  code(id: string): number {
    const cached = this.#codes.get(id);
    if (cached !== undefined) return cached;
    const code = -1 - this.ids.push(id);
    this.#codes.set(id, code);
    return code;
  }
}

/** Id of the change that caused a change; null for a direct one. */
export function causeId(log: ChangeLog, change: number): string | null {
  const cause = log.causes[change] as number;
  if (cause === NONE) return null;
  return cause >= 0 ? log.ids.at(cause) : (log.outsideCauses[-2 - cause] ?? null);
}

/** UUIDs in 16 bytes each instead of a string of 36 characters; returned in lower case. */
export class UuidColumn implements Column<string>, ChangeIds {
  readonly length: number;
  /** Four per UUID. */
  readonly words: Uint32Array;

  constructor(words: Uint32Array) {
    this.length = words.length / UUID_WORDS;
    this.words = words;
  }

  at(row: number): string {
    return uuidText(this.words, row * UUID_WORDS);
  }

  *[Symbol.iterator](): Iterator<string> {
    for (let row = 0; row < this.length; row += 1) yield this.at(row);
  }

  /** The first rows, without a copy. */
  first(length: number): UuidColumn {
    return new UuidColumn(this.words.subarray(0, length * UUID_WORDS));
  }

  /** Number of UUIDs of an ascending column up to and including another. */
  countUpTo(text: string): number {
    const uuid = new Uint32Array(UUID_WORDS);
    packUuid(text, uuid, 0);
    return binarySearch(this.length, (row) => compareUuids(this.words, row * UUID_WORDS, uuid, 0) <= 0);
  }

  /** Milliseconds since 1970 at which a UUIDv7 was created; undefined for any other UUID (RFC 9562, section 5.7). */
  timeMs(row: number): number | undefined {
    const start = row * UUID_WORDS;
    const [high, low, variant] = [
      this.words[start] as number,
      this.words[start + 1] as number,
      this.words[start + 2] as number,
    ];
    const isVersion7 = ((low >>> 12) & 0xf) === 7 && variant >>> 30 === 0b10;
    return isVersion7 ? high * 0x1_0000 + (low >>> 16) : undefined;
  }
}

/**
 * Distinct values by code, in order of first occurrence. Equal JSON values are one entry; a number differs from its
 * string.
 */
export class ValueDictionary {
  readonly values: unknown[] = [];
  readonly #scalars = new Map<unknown, number>();
  readonly #composites = new Map<string, number>();

  constructor(values: Iterable<unknown> = []) {
    for (const value of values) this.code(value);
  }

  code(value: unknown): number {
    return isComposite(value)
      ? this.#enter(this.#composites, compositeKey(value), value)
      : this.#enter(this.#scalars, value ?? null, value ?? null);
  }

  #enter<K>(codes: Map<K, number>, key: K, value: unknown): number {
    const cached = codes.get(key);
    if (cached !== undefined) return cached;
    const code = this.values.push(value) - 1;
    codes.set(key, code);
    return code;
  }
}

function isComposite(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

/** Base fields may hold dates, which JSON would confuse with strings. */
function compositeKey(value: object): string {
  return value instanceof Date ? `date ${value.getTime()}` : canonicalJson(value);
}

/** The first changes of a log, known after as many insertions. Only causes that came later need a copy. */
export function logPrefix(log: ChangeLog, length: number): ChangeLog {
  return {
    ...log,
    length,
    initial: Math.min(log.initial, length),
    ids: log.ids.first(length),
    rows: log.rows.subarray(0, length),
    keyCodes: log.keyCodes.subarray(0, length),
    valueCodes: log.valueCodes.subarray(0, length),
    timesUs: log.timesUs.subarray(0, length),
    system: log.system.subarray(0, length),
    userCodes: log.userCodes.subarray(0, length),
    ...prefixCauses(log, length),
  };
}

/** A change may name a cause that was inserted after it: its id is known then, but not the change itself. */
function prefixCauses(log: ChangeLog, length: number): Pick<ChangeLog, "causes" | "outsideCauses"> {
  const causes = log.causes.subarray(0, length);
  if (causes.every((cause) => cause < length)) return { causes, outsideCauses: log.outsideCauses };
  const outside = new OutsideCauses(log.outsideCauses);
  const resolved = causes.map((cause) => (cause < length ? cause : outside.code(log.ids.at(cause))));
  return { causes: resolved, outsideCauses: outside.ids };
}
