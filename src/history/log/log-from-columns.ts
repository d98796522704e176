import { binarySearch } from "../../core/binary-search.js";
import type { Diagnostic } from "../../core/diagnostic.js";
import { freeMemory } from "../../core/free-memory.js";
import { compareUuids, UUID_WORDS, uuidText } from "../../core/uuid.js";
import { canonicalKey } from "../../layer/property-key.js";
import { type ChangeColumns, type CodedColumn, changeFlags } from "../../tables/read/change-columns.js";
import {
  type ChangeLog,
  type Codes,
  codeArray,
  NONE,
  narrowCodes,
  OutsideCauses,
  UuidColumn,
  ValueDictionary,
} from "./change-log.js";
import { sortUuids } from "./sort-uuids.js";
import { MOST_IDS, refuseUndated, timeDiagnostics } from "./time-diagnostics.js";

/** A coded column of a log that is combined from parts, each with its own codes or a shared list. */
class Coding {
  readonly #codes: Codes;
  /** The values of all lists, one list after the other. */
  readonly #forms: unknown[] = [];
  /** Start of the values of each list. */
  readonly #starts = new Map<readonly unknown[], number>();

  /** @param lists the values of each part */
  constructor(length: number, lists: readonly (readonly unknown[])[]) {
    for (const list of new Set(lists)) {
      this.#starts.set(list, this.#forms.length);
      for (const value of list) this.#forms.push(value);
    }
    // One more, because a dictionary may hold a value that no change has.
    this.#codes = codeArray(this.#forms.length + 1, length);
  }

  /** @param positions indices of the part's changes in the log; `NONE` to leave one out */
  add({ codes, values }: CodedColumn, positions: Int32Array): void {
    const first = this.#starts.get(values);
    if (first === undefined) throw new TypeError("a part of a log has another list of values than before");
    const target = this.#codes;
    for (let change = 0; change < positions.length; change += 1) {
      const position = positions[change] as number;
      if (position !== NONE) target[position] = first + (codes[change] as number);
    }
  }

  /**
   * The codes of a dictionary with values in order of first occurrence in the log, independent of the order of the
   * parts. Can be called once.
   *
   * @param read converts an entry of the list to its value
   */
  settle(dictionary: ValueDictionary, read: (form: unknown) => unknown = (form) => form): Codes {
    const codes = this.#codes;
    const codeOf = new Int32Array(this.#forms.length).fill(NONE);
    for (let change = 0; change < codes.length; change += 1) {
      const form = codes[change] as number;
      let code = codeOf[form] as number;
      if (code === NONE) {
        code = dictionary.code(read(this.#forms[form]));
        codeOf[form] = code;
      }
      codes[change] = code;
    }
    return narrowCodes(codes, dictionary.values.length);
  }
}

/** A log and facts about its times. */
interface FilledLog {
  /** The time of a change without a valid time is NaN. */
  readonly log: ChangeLog;
  readonly ids: UuidColumn;
  /** Number of times without a zone. */
  readonly zoneless: number;
  /** Number of times that were read as the start of the next second. */
  readonly rolledOver: number;
}

/** Changes, and their indices in the log. */
interface PlacedPart {
  readonly part: ChangeColumns;
  readonly positions: Int32Array;
}

/** The columns of a log while they are filled; its ids are complete. */
class Filling {
  readonly #ids: Uint32Array;
  readonly #rows: Int32Array;
  readonly #timesUs: Float64Array;
  readonly #system: Uint8Array;
  readonly #causes: Int32Array;
  readonly #outsideCauses = new OutsideCauses();
  readonly #keys: Coding;
  readonly #values: Coding;
  readonly #users: Coding;
  #zoneless = 0;
  #rolledOver = 0;

  constructor(parts: readonly ChangeColumns[], ids: Uint32Array) {
    const length = ids.length / UUID_WORDS;
    const coding = (column: (part: ChangeColumns) => CodedColumn) =>
      new Coding(
        length,
        parts.map((part) => column(part).values),
      );
    this.#ids = ids;
    this.#rows = new Int32Array(length);
    this.#timesUs = new Float64Array(length);
    this.#system = new Uint8Array(length);
    this.#causes = new Int32Array(length).fill(NONE);
    this.#keys = coding(({ keys }) => keys);
    this.#values = coding(({ values }) => values);
    this.#users = coding(({ users }) => users);
  }

  placeRows(rows: Int32Array, positions: Int32Array): void {
    scatter(rows, positions, this.#rows);
  }

  addTimes({ part, positions }: PlacedPart): void {
    const { timesUs } = part;
    scatter(timesUs, positions, this.#timesUs);
    part.forget?.(timesUs);
  }

  addCodes({ part, positions }: PlacedPart): void {
    const { keys, values, users } = part;
    for (const [coding, column] of [
      [this.#keys, keys],
      [this.#values, values],
      [this.#users, users],
    ] as const) {
      const { codes } = column;
      coding.add({ codes, values: column.values }, positions);
      part.forget?.(codes);
    }
  }

  addFlags({ part, positions }: PlacedPart): void {
    const { flags, causes } = part;
    this.#placeFlags(flags, causes, positions);
    part.forget?.(flags);
    part.forget?.(causes);
  }

  finish(): FilledLog {
    const keys = new ValueDictionary();
    const values = new ValueDictionary([null]);
    const users = new ValueDictionary();
    const keyCodes = this.#keys.settle(keys, (key) => canonicalKey(String(key)));
    const ids = new UuidColumn(this.#ids);
    const log: ChangeLog = {
      length: this.#rows.length,
      initial: 0,
      ids,
      rows: this.#rows,
      keyCodes,
      keys: keys.values as readonly string[],
      valueCodes: this.#values.settle(values),
      values: values.values,
      timesUs: this.#timesUs,
      system: this.#system,
      userCodes: this.#users.settle(users),
      users: users.values as readonly (number | null)[],
      causes: this.#causes,
      outsideCauses: this.#outsideCauses.ids,
    };
    return { log, ids, zoneless: this.#zoneless, rolledOver: this.#rolledOver };
  }

  #placeFlags(flags: Uint8Array, causes: Uint32Array, positions: Int32Array): void {
    let cause = 0;
    for (let change = 0; change < positions.length; change += 1) {
      const flag = flags[change] as number;
      const position = positions[change] as number;
      if (position !== NONE && flag !== 0) {
        this.#system[position] = flag & changeFlags.system;
        if ((flag & changeFlags.zoneless) !== 0) this.#zoneless += 1;
        if ((flag & changeFlags.rolledOver) !== 0) this.#rolledOver += 1;
        if ((flag & changeFlags.caused) !== 0) this.#causes[position] = this.#causeCode(causes, cause, position);
      }
      if ((flag & changeFlags.caused) !== 0) cause += UUID_WORDS;
    }
  }

  #causeCode(causes: Uint32Array, start: number, position: number): number {
    const change = findUuid(this.#ids, causes, start, position);
    return change === NONE ? this.#outsideCauses.code(uuidText(causes, start)) : change;
  }
}

/** A log with diagnostics of reading it. */
export interface LogReading {
  /** The changes with a valid time. */
  readonly log: ChangeLog;
  /**
   * All changes; the same object if all times are valid. Only used to find out which cells were ever changed: changes
   * without a valid time are at the beginning of 1970.
   */
  readonly whole: ChangeLog;
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Puts changes into order of insertion, with one code for equal values.
 *
 * @param parts changes in any order; repeated changes count once
 * @param rowOf row of a feature id; changes of other features are left out
 * @param strict whether an invalid `created_at` is an error; else its change is left out of the log
 * @throws ProtocolError with the change, if strict
 */
export function logFromColumns(
  parts: readonly ChangeColumns[],
  rowOf: ReadonlyMap<number, number>,
  strict = true,
): LogReading {
  const filled = fillLog(parts, insertionOrder(parts, rowOf));
  const { log: whole, ids } = filled;
  const undated = undatedChanges(whole);
  const undatedIds = Array.from(undated.subarray(0, MOST_IDS), (change) => whole.ids.at(change));
  if (strict) refuseUndated(undatedIds, undated[0]);
  const diagnostics = timeDiagnostics({ ...filled, undated: undated.length, undatedIds });
  return { log: undated.length === 0 ? whole : logWithout(whole, ids, undated), whole, diagnostics };
}

/**
 * Puts changes into a log, column after column: each column of a part is requested once and released before the next.
 * Frees the memory of `positions` and `rows`.
 */
function fillLog(parts: readonly ChangeColumns[], { ids, positions, rows }: InsertionOrder): FilledLog {
  const filling = new Filling(parts, ids);
  filling.placeRows(rows, positions);
  freeMemory(rows);
  const placed = placedParts(parts, positions);
  for (const part of placed) filling.addTimes(part);
  for (const part of placed) filling.addFlags(part);
  for (const part of placed) filling.addCodes(part);
  freeMemory(positions);
  return filling.finish();
}

function placedParts(parts: readonly ChangeColumns[], positions: Int32Array): readonly PlacedPart[] {
  let start = 0;
  return parts.map((part) => {
    const end = start + part.rowCount;
    const placed = { part, positions: positions.subarray(start, end) };
    start = end;
    return placed;
  });
}

function scatter(source: Int32Array | Float64Array, positions: Int32Array, target: Int32Array | Float64Array): void {
  for (let change = 0; change < positions.length; change += 1) {
    const position = positions[change] as number;
    if (position !== NONE) target[position] = source[change] as number;
  }
}

/**
 * Index of a UUID among ascending ones; `NONE` if missing. Searches near an index first, because changes are usually
 * inserted right after their causes.
 *
 * @param words words of the ascending UUIDs
 * @param start start of the UUID's words in `wanted`
 * @param near an index in `words`
 */
function findUuid(words: Uint32Array, others: Uint32Array, start: number, near: number): number {
  const count = words.length / UUID_WORDS;
  const isBelow = (position: number) => compareUuids(words, position * UUID_WORDS, others, start) < 0;
  let low = near;
  let high = near;
  for (let step = 1; low > 0 && !isBelow(low); step *= 2) {
    high = low;
    low = Math.max(0, low - step);
  }
  for (let step = 1; high < count && isBelow(high); step *= 2) {
    low = high;
    high = Math.min(count, high + step);
  }
  const position = low + binarySearch(high - low, (index) => isBelow(low + index));
  const isThere = position < count && compareUuids(words, position * UUID_WORDS, others, start) === 0;
  return isThere ? position : NONE;
}

/** Indices of the changes without a valid time, which are then set to the beginning of 1970. */
function undatedChanges({ timesUs }: ChangeLog): Int32Array {
  const undated: number[] = [];
  for (let change = 0; change < timesUs.length; change += 1) {
    if (!Number.isNaN(timesUs[change])) continue;
    undated.push(change);
    timesUs[change] = 0;
  }
  return Int32Array.from(undated);
}

/**
 * A log without some of its changes, which become causes outside the log.
 *
 * @param left indices of the changes to leave out, ascending
 */
function logWithout(log: ChangeLog, ids: UuidColumn, left: Int32Array): ChangeLog {
  const length = log.length - left.length;
  const kept = new Int32Array(length);
  const positions = new Int32Array(log.length).fill(NONE);
  let nextLeft = 0;
  for (let change = 0; change < log.length; change += 1) {
    if (left[nextLeft] === change) {
      nextLeft += 1;
      continue;
    }
    kept[change - nextLeft] = change;
    positions[change] = change - nextLeft;
  }
  const pick = <T extends Uint8Array | Uint16Array | Int32Array | Float64Array>(column: T): T => {
    const chosen = column.slice(0, length) as T;
    for (let index = 0; index < length; index += 1) chosen[index] = column[kept[index] as number] as number;
    return chosen;
  };
  const words = new Uint32Array(UUID_WORDS * length);
  for (let index = 0; index < words.length; index += 1) {
    words[index] = ids.words[
      UUID_WORDS * (kept[Math.floor(index / UUID_WORDS)] as number) + (index % UUID_WORDS)
    ] as number;
  }
  return {
    ...log,
    length,
    ids: new UuidColumn(words),
    rows: pick(log.rows),
    keyCodes: pick(log.keyCodes),
    valueCodes: pick(log.valueCodes),
    timesUs: pick(log.timesUs),
    system: pick(log.system),
    userCodes: pick(log.userCodes),
    ...keptCauses(log, pick(log.causes), positions),
  };
}

function keptCauses(
  log: ChangeLog,
  causes: Int32Array,
  positions: Int32Array,
): Pick<ChangeLog, "causes" | "outsideCauses"> {
  const outside = new OutsideCauses(log.outsideCauses);
  for (const [index, cause] of causes.entries()) {
    if (cause < 0) continue;
    const position = positions[cause] as number;
    causes[index] = position === NONE ? outside.code(log.ids.at(cause)) : position;
  }
  return { causes, outsideCauses: outside.ids };
}

/** The ids of a log, and the indices of the changes in it. */
interface InsertionOrder {
  /** The words of the ids, ascending. */
  readonly ids: Uint32Array;
  /** Index in the log of each change, in reading order; `NONE` if it is left out. */
  readonly positions: Int32Array;
  /** Row of the changed feature, in reading order. */
  readonly rows: Int32Array;
}

/**
 * The order of insertion of changes, which is that of their ids. Repeated changes and changes of unknown features are
 * left out.
 *
 * @param rowOf row of a feature id
 */
function insertionOrder(parts: readonly ChangeColumns[], rowOf: ReadonlyMap<number, number>): InsertionOrder {
  const count = parts.reduce((sum, { rowCount }) => sum + rowCount, 0);
  const rows = new Int32Array(count);
  const words = new Uint32Array(UUID_WORDS * count);
  let start = 0;
  for (const part of parts) {
    const { featureIds, ids } = part;
    readRows(featureIds, rowOf, rows.subarray(start));
    part.forget?.(featureIds);
    words.set(ids, UUID_WORDS * start);
    part.forget?.(ids);
    start += part.rowCount;
  }
  const indexes = new Uint32Array(count);
  let filled = 0;
  for (let index = 0; index < count; index += 1) if (rows[index] !== NONE) indexes[filled++] = index;
  const ordered = inOrder(words, indexes.subarray(0, filled));
  const positions = positionsOf(ordered, count);
  const { length } = ordered;
  freeMemory(ordered);
  freeMemory(indexes);
  const ids = placeIds(words, positions, length);
  freeMemory(words);
  return { ids, positions, rows };
}

function readRows(featureIds: Float64Array, rowOf: ReadonlyMap<number, number>, rows: Int32Array): void {
  // Consecutive changes often belong to one feature.
  let last = Number.NaN;
  let row = NONE;
  for (let change = 0; change < featureIds.length; change += 1) {
    const id = featureIds[change] ?? Number.NaN;
    if (id !== last) row = rowOf.get(id) ?? NONE;
    last = id;
    rows[change] = row;
  }
}

/** Indices in the order of their UUIDs, without repeated ones. */
function inOrder(words: Uint32Array, indexes: Uint32Array): Uint32Array {
  if (isAscending(words, indexes)) return indexes;
  const repeated = new Set<number>();
  sortUuids(words, indexes, (index) => repeated.add(index));
  return repeated.size === 0 ? indexes : indexes.filter((index) => !repeated.has(index));
}

/** Written in the order of the log: the other order would have random reads, which are much slower. */
function placeIds(words: Uint32Array, positions: Int32Array, length: number): Uint32Array {
  const ids = new Uint32Array(UUID_WORDS * length);
  for (let index = 0; index < positions.length; index += 1) {
    const position = positions[index] as number;
    if (position === NONE) continue;
    for (let word = 0; word < UUID_WORDS; word += 1) {
      ids[UUID_WORDS * position + word] = words[UUID_WORDS * index + word] as number;
    }
  }
  return ids;
}

function positionsOf(indexes: Uint32Array, count: number): Int32Array {
  const positions = new Int32Array(count).fill(NONE);
  for (let position = 0; position < indexes.length; position += 1) positions[indexes[position] as number] = position;
  return positions;
}

/** Whether the UUIDs are strictly ascending. */
function isAscending(words: Uint32Array, indexes: Uint32Array): boolean {
  for (let index = 1; index < indexes.length; index += 1) {
    const [before, position] = [indexes[index - 1] as number, indexes[index] as number];
    if (compareUuids(words, before * UUID_WORDS, words, position * UUID_WORDS) >= 0) return false;
  }
  return true;
}
