import { freeMemory } from "../../core/free-memory.js";
import { UUID_WORDS } from "../../core/uuid.js";
import { type ChangeColumns, type CodedColumn, sliceChanges } from "./change-columns.js";

/** Number of distinct values after which it is decided, repeatedly, whether values repeat. */
const TRIAL = 1 << 16;

/**
 * A common list for the values of many parts, each of which has its own list. Equal strings and numbers are one entry,
 * and so are identical objects. If few repeat, lookups stop: a value may then have several codes.
 */
export class SharedList {
  /** By code. */
  readonly values: unknown[] = [];
  readonly #codes = new Map<unknown, number>();
  #repeated = 0;
  #trial: number;

  constructor(trial = TRIAL) {
    this.#trial = trial;
  }

  /** The common codes of a part's values, in the part's order. */
  codesOf(values: readonly unknown[]): Uint32Array {
    const codes = new Uint32Array(values.length);
    for (let index = 0; index < codes.length; index += 1) codes[index] = this.#code(values[index]);
    return codes;
  }

  #code(value: unknown): number {
    if (this.#trial === 0) return this.values.push(value) - 1;
    // A map does not distinguish 0 and -0.
    const key = Object.is(value, -0) ? this : value;
    const former = this.#codes.get(key);
    if (former !== undefined) {
      this.#repeated += 1;
      return former;
    }
    const code = this.values.push(value) - 1;
    this.#codes.set(key, code);
    if (this.#codes.size === this.#trial) this.#decide();
    return code;
  }

  #decide(): void {
    const isWorthIt = this.#repeated > this.#trial;
    this.#trial = isWorthIt ? 2 * this.#trial : 0;
    if (!isWorthIt) this.#codes.clear();
  }
}

/** Codes of a fixed number of rows, in the narrowest possible array. */
class SegmentCodes {
  #codes: CodedColumn["codes"];

  constructor(capacity: number) {
    this.#codes = new Uint8Array(capacity);
  }

  /**
   * Writes codes of a part to the rows from `start` on.
   *
   * @param codeOf the common code of each code of the part
   * @param count number of common codes
   */
  add(codes: CodedColumn["codes"], codeOf: Uint32Array, count: number, start: number): void {
    this.#widen(count);
    const target = this.#codes;
    for (let row = 0; row < codes.length; row += 1) target[start + row] = codeOf[codes[row] as number] as number;
  }

  /** The codes of the first rows, without a copy. */
  first(rowCount: number): CodedColumn["codes"] {
    return this.#codes.subarray(0, rowCount);
  }

  #widen(count: number): void {
    const narrow = this.#codes;
    const bytes = count <= 0x100 ? 1 : count <= 0x1_0000 ? 2 : 4;
    if (bytes <= narrow.BYTES_PER_ELEMENT) return;
    this.#codes = bytes === 2 ? new Uint16Array(narrow) : new Uint32Array(narrow);
    freeMemory(narrow);
  }
}

/** The lists that all segments share. */
type SharedLists = Readonly<Record<"keys" | "values" | "users", SharedList>>;

/** Common codes of the codes of a part. */
type SharedCodes = Readonly<Record<keyof SharedLists, Uint32Array>>;

const FIRST_CAUSES = 1024 * UUID_WORDS;

/** Property changes in columns of a fixed size, whose memory does not move while changes are added. */
class ChangeSegment {
  readonly #capacity: number;
  readonly #ids: Uint32Array;
  readonly #featureIds: Float64Array;
  readonly #timesUs: Float64Array;
  readonly #flags: Uint8Array;
  readonly #keys: SegmentCodes;
  readonly #values: SegmentCodes;
  readonly #users: SegmentCodes;
  #causes = new Uint32Array(FIRST_CAUSES);
  #causeWords = 0;
  #rowCount = 0;

  constructor(capacity: number) {
    this.#capacity = capacity;
    this.#ids = new Uint32Array(UUID_WORDS * capacity);
    this.#featureIds = new Float64Array(capacity);
    this.#timesUs = new Float64Array(capacity);
    this.#flags = new Uint8Array(capacity);
    this.#keys = new SegmentCodes(capacity);
    this.#values = new SegmentCodes(capacity);
    this.#users = new SegmentCodes(capacity);
  }

  /** Free space for changes. */
  get room(): number {
    return this.#capacity - this.#rowCount;
  }

  /** Copies changes, for which there must be room. */
  add(changes: ChangeColumns, codes: SharedCodes, lists: SharedLists): void {
    const start = this.#rowCount;
    this.#ids.set(changes.ids, UUID_WORDS * start);
    this.#featureIds.set(changes.featureIds, start);
    this.#timesUs.set(changes.timesUs, start);
    this.#flags.set(changes.flags, start);
    this.#keys.add(changes.keys.codes, codes.keys, lists.keys.values.length, start);
    this.#values.add(changes.values.codes, codes.values, lists.values.values.length, start);
    this.#users.add(changes.users.codes, codes.users, lists.users.values.length, start);
    this.#addCauses(changes.causes);
    this.#rowCount += changes.rowCount;
  }

  /** The changes, without a copy. */
  finish({ keys, values, users }: SharedLists): ChangeColumns {
    const rowCount = this.#rowCount;
    return {
      rowCount,
      ids: this.#ids.subarray(0, UUID_WORDS * rowCount),
      featureIds: this.#featureIds.subarray(0, rowCount),
      timesUs: this.#timesUs.subarray(0, rowCount),
      flags: this.#flags.subarray(0, rowCount),
      causes: this.#causes.subarray(0, this.#causeWords),
      keys: { codes: this.#keys.first(rowCount), values: keys.values },
      values: { codes: this.#values.first(rowCount), values: values.values },
      users: { codes: this.#users.first(rowCount), values: users.values },
    };
  }

  #addCauses(words: Uint32Array): void {
    const length = this.#causeWords + words.length;
    if (length > this.#causes.length) {
      const grown = new Uint32Array(2 * length);
      grown.set(this.#causes);
      freeMemory(this.#causes);
      this.#causes = grown;
    }
    this.#causes.set(words, this.#causeWords);
    this.#causeWords = length;
  }
}

/** Columns that are handed over: the largest ones, each requested once. */
type Passing = Pick<ChangeColumns, "ids" | "featureIds" | "timesUs" | "flags" | "causes">;

/**
 * Changes that are handed over to a log: each of their long columns is released when it is requested, so that it is not
 * in memory twice.
 */
export class PassingChanges implements ChangeColumns {
  readonly rowCount: number;
  readonly keys: CodedColumn;
  readonly values: CodedColumn;
  readonly users: CodedColumn;
  readonly #passing: { -readonly [Name in keyof Passing]?: Passing[Name] };

  constructor({ rowCount, keys, values, users, ids, featureIds, timesUs, flags, causes }: ChangeColumns) {
    this.rowCount = rowCount;
    this.keys = keys;
    this.values = values;
    this.users = users;
    this.#passing = { ids, featureIds, timesUs, flags, causes };
  }

  get ids(): Uint32Array {
    return this.#give("ids");
  }

  get featureIds(): Float64Array {
    return this.#give("featureIds");
  }

  get timesUs(): Float64Array {
    return this.#give("timesUs");
  }

  get flags(): Uint8Array {
    return this.#give("flags");
  }

  get causes(): Uint32Array {
    return this.#give("causes");
  }

  forget(column: ArrayBufferView): void {
    freeMemory(column);
  }

  #give<Name extends keyof Passing>(name: Name): Passing[Name] {
    const column: Passing[Name] | undefined = this.#passing[name];
    if (!column) throw new TypeError(`${name} of changes were given away already`);
    delete this.#passing[name];
    return column;
  }
}

/**
 * Capacities of the segments; the last one is repeated. The columns are large enough for the system to reclaim their
 * memory at once; for a small log, large segments would be a waste.
 */
const CAPACITIES = [1 << 16, 1 << 19, 1 << 22];

/**
 * The changes of many pages. They are copied into few large segments, because the gaps left by thousands of small
 * arrays would stay with the process. All pages share lists of keys, values and users.
 */
export class KeptChanges {
  readonly #capacities: readonly number[];
  readonly #segments: ChangeSegment[] = [];
  readonly #lists: SharedLists = { keys: new SharedList(), values: new SharedList(), users: new SharedList() };

  constructor(capacities: readonly number[] = CAPACITIES) {
    this.#capacities = capacities;
  }

  /** Copies changes. */
  add(changes: ChangeColumns): void {
    const { keys, values, users } = this.#lists;
    const codes: SharedCodes = {
      keys: keys.codesOf(changes.keys.values),
      values: values.codesOf(changes.values.values),
      users: users.codesOf(changes.users.values),
    };
    for (let start = 0; start < changes.rowCount; ) {
      const segment = this.#open();
      const end = Math.min(start + segment.room, changes.rowCount);
      segment.add(sliceChanges(changes, start, end), codes, this.#lists);
      start = end;
    }
  }

  /** All changes in order, to be handed over to a log. Nothing can be added afterwards. */
  parts(): readonly ChangeColumns[] {
    return this.#segments.splice(0).map((segment) => new PassingChanges(segment.finish(this.#lists)));
  }

  #open(): ChangeSegment {
    const last = this.#segments.at(-1);
    if (last && last.room > 0) return last;
    const capacity = this.#capacities[this.#segments.length] ?? this.#capacities.at(-1) ?? 1;
    const segment = new ChangeSegment(capacity);
    this.#segments.push(segment);
    return segment;
  }
}
