import { freeMemory } from "../../core/free-memory.js";
import { UUID_WORDS, uuidText } from "../../core/uuid-words.js";
import { canonicalKey } from "../../layer/property-key.js";
import { type ChangeColumns, type CodedColumn, changeFlags } from "../../tables/read/change-columns.js";
import { type ChangeLog, NONE } from "./change-log.js";
import { Coding } from "./coding.js";
import { findUuid } from "./find-uuid.js";
import type { InsertionOrder } from "./insertion-order.js";
import { UuidColumn } from "./uuid-column.js";
import { ValueDictionary } from "./value-dictionary.js";

/** A log, and what its times are. */
export interface FilledLog {
  /** The time of a change that names none is NaN. */
  readonly log: ChangeLog;
  /** How many times name no zone. */
  readonly zoneless: number;
  /** How many times were read as the beginning of the next second. */
  readonly rolledOver: number;
}

/**
 * Puts changes into a log, column after column: of each part a column is asked for once, and forgotten before the next.
 * The memory of `positions` and `rows` is given back.
 */
export function fillLog(parts: readonly ChangeColumns[], { ids, positions, rows }: InsertionOrder): FilledLog {
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

/** Changes, and their positions in the log. */
interface PlacedPart {
  readonly part: ChangeColumns;
  readonly positions: Int32Array;
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

/** The columns of a log while they are filled; its ids are there. */
class Filling {
  readonly #ids: Uint32Array;
  readonly #rows: Int32Array;
  readonly #timesUs: Float64Array;
  readonly #system: Uint8Array;
  readonly #causes: Int32Array;
  readonly #outsideCauses = new Map<string, number>();
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
    place(rows, positions, this.#rows);
  }

  addTimes({ part, positions }: PlacedPart): void {
    const { timesUs } = part;
    place(timesUs, positions, this.#timesUs);
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
    this.#readFlags(flags, causes, positions);
    part.forget?.(flags);
    part.forget?.(causes);
  }

  finish(): FilledLog {
    const keys = new ValueDictionary();
    const values = new ValueDictionary([null]);
    const users = new ValueDictionary();
    const keyCodes = settle(this.#keys, keys, (key) => canonicalKey(String(key)));
    const log: ChangeLog = {
      length: this.#rows.length,
      ids: new UuidColumn(this.#ids),
      rows: this.#rows,
      keyCodes,
      keys: keys.values as readonly string[],
      valueCodes: settle(this.#values, values),
      values: values.values,
      timesUs: this.#timesUs,
      system: this.#system,
      userCodes: settle(this.#users, users),
      users: users.values as readonly (number | null)[],
      causes: this.#causes,
      outsideCauses: [...this.#outsideCauses.keys()],
    };
    return { log, zoneless: this.#zoneless, rolledOver: this.#rolledOver };
  }

  #readFlags(flags: Uint8Array, causes: Uint32Array, positions: Int32Array): void {
    let cause = 0;
    for (let change = 0; change < positions.length; change += 1) {
      const flag = flags[change] ?? 0;
      const position = positions[change] ?? NONE;
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
    const found = findUuid(this.#ids, causes, start, position);
    if (found !== NONE) return found;
    const id = uuidText(causes, start);
    const code = this.#outsideCauses.get(id) ?? -2 - this.#outsideCauses.size;
    this.#outsideCauses.set(id, code);
    return code;
  }
}

function place(source: Int32Array | Float64Array, positions: Int32Array, target: Int32Array | Float64Array): void {
  for (let change = 0; change < positions.length; change += 1) {
    const position = positions[change] ?? NONE;
    if (position !== NONE) target[position] = source[change] ?? 0;
  }
}

function settle(coding: Coding, dictionary: ValueDictionary, form: (value: unknown) => unknown = (value) => value) {
  return coding.settle(
    (value) => dictionary.code(form(value)),
    () => dictionary.values.length,
  );
}
