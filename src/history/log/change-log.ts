import { freeMemory } from "../../core/free-memory.js";
import type { UuidColumn } from "./uuid-column.js";

/** No change, no column, no cause. */
export const NONE = -1;

/** Codes of a dictionary, as narrow as its size allows. */
export type Codes = Uint8Array | Uint16Array | Int32Array;

/** The property-change log of a layer's features in columns, one entry a change, in order of insertion. */
export interface ChangeLog {
  readonly length: number;
  /** Ascending, so the position of a change is its insertion rank (`seq`). */
  readonly ids: UuidColumn;
  /** Row of the changed feature in the layer. */
  readonly rows: Int32Array;
  /** Index into `keys`. */
  readonly keyCodes: Codes;
  /** Property keys that the log knows, in canonical form. */
  readonly keys: readonly string[];
  /** Index into `values`. */
  readonly valueCodes: Codes;
  /** Entry 0 is null. Equal values have equal codes. */
  readonly values: readonly unknown[];
  /** Valid time, microseconds since 1970. */
  readonly timesUs: Float64Array;
  /** 1 for changes that the system made. */
  readonly system: Uint8Array;
  /** Index into `users`. */
  readonly userCodes: Codes;
  readonly users: readonly (number | null)[];
  /** Position of the change that caused each; `NONE` for direct changes; from −2 down, index into `outsideCauses`. */
  readonly causes: Int32Array;
  /** Ids of causes that are not in the log: entry `i` is the cause `−2 − i`. */
  readonly outsideCauses: readonly string[];
}

/** An array for codes of a dictionary. */
export function codeArray(dictionarySize: number, length: number): Codes {
  if (dictionarySize <= 0x100) return new Uint8Array(length);
  return dictionarySize <= 0x1_0000 ? new Uint16Array(length) : new Int32Array(length);
}

/** Codes of a dictionary in an array as narrow as its size allows: the same array where it is, else the memory of the wider one is given back. */
export function narrowCodes(codes: Codes, dictionarySize: number): Codes {
  if (codeArray(dictionarySize, 0).BYTES_PER_ELEMENT === codes.BYTES_PER_ELEMENT) return codes;
  const narrowed = codeArray(dictionarySize, codes.length);
  narrowed.set(codes);
  freeMemory(codes);
  return narrowed;
}

/** Id of the change that caused a change; null for a direct one. */
export function causeId(log: ChangeLog, change: number): string | null {
  const cause = log.causes[change] ?? NONE;
  if (cause === NONE) return null;
  return cause >= 0 ? log.ids.at(cause) : (log.outsideCauses[-2 - cause] ?? null);
}
