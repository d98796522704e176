import { freeMemory } from "../../core/free-memory.js";
import { UUID_WORDS } from "../../core/uuid-words.js";
import type { ChangeColumns } from "./change-columns.js";
import { SegmentCodes } from "./segment-codes.js";
import type { SharedList } from "./shared-list.js";

/** The lists that all segments share. */
export type SharedLists = Readonly<Record<"keys" | "values" | "users", SharedList>>;

/** What the codes of a part are in the shared lists. */
export type SharedCodes = Readonly<Record<keyof SharedLists, Uint32Array>>;

const FIRST_CAUSES = 1024 * UUID_WORDS;

/** Property changes in columns of a fixed size, whose memory does not move while more of them come. */
export class ChangeSegment {
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
