import { freeMemory } from "../../core/free-memory.js";
import { UUID_WORDS } from "../../core/uuid-words.js";
import { type ChangeColumns, type CodedColumn, sliceChanges } from "./change-columns.js";

/** Different values after which it shows, and then again and again, whether values come more than once. */
const TRIAL = 1 << 16;

/**
 * One list for the values of many parts, each of which lists its own. Texts and numbers that are the same are one entry,
 * objects if they are the same object. Where few come again it stops looking: a value may then have several codes.
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

  /** The codes here of a part's values, in the part's order. */
  codesOf(values: readonly unknown[]): Uint32Array {
    const codes = new Uint32Array(values.length);
    for (let index = 0; index < codes.length; index += 1) codes[index] = this.#code(values[index]);
    return codes;
  }

  #code(value: unknown): number {
    if (this.#trial === 0) return this.values.push(value) - 1;
    // To a map, 0 and -0 are the same.
    const key = Object.is(value, -0) ? this : value;
    const known = this.#codes.get(key);
    if (known !== undefined) {
      this.#repeated += 1;
      return known;
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

/** Codes of a fixed number of rows, as narrow as they allow. */
class SegmentCodes {
  #codes: CodedColumn["codes"];

  constructor(capacity: number) {
    this.#codes = new Uint8Array(capacity);
  }

  /**
   * Puts codes of a part into the rows from `start` on.
   *
   * @param codeOf the code here of each code of the part
   * @param count codes that there are here
   */
  add(codes: CodedColumn["codes"], codeOf: Uint32Array, count: number, start: number): void {
    this.#widen(count);
    const target = this.#codes;
    for (let row = 0; row < codes.length; row += 1) target[start + row] = codeOf[codes[row] as number] as number;
  }

  /** Those of the first rows, without a copy. */
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

/** What the codes of a part are in the shared lists. */
type SharedCodes = Readonly<Record<keyof SharedLists, Uint32Array>>;

const FIRST_CAUSES = 1024 * UUID_WORDS;

/** Property changes in columns of a fixed size, whose memory does not move while more of them come. */
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

  /** How many more changes it takes. */
  get room(): number {
    return this.#capacity - this.#rowCount;
  }

  /** Copies changes, no more than there is room for. */
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

/** What is given away: the most of what changes take, and asked for once. */
type Passing = Pick<ChangeColumns, "ids" | "featureIds" | "timesUs" | "flags" | "causes">;

/**
 * Changes that pass into a log: each of their long columns is given away when it is asked for, so that it is not in memory
 * twice once the log has taken it.
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
 * Changes that each segment holds: the last number is that of all further ones. Columns of so many are large enough for
 * the system to take their memory back as soon as it is given back; of a small log they would be a waste.
 */
const CAPACITIES = [1 << 16, 1 << 19, 1 << 22];

/**
 * The changes of many pages. They are copied into few large segments, since what thousands of small arrays leave behind
 * stays with the process; keys, values and users of all pages share one list each.
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

  /** All changes, in the order in which they came: to be given into a log. Ends the keeping. */
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
