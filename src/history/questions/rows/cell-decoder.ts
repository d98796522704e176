import { packUuid, UUID_WORDS } from "../../../core/uuid-words.js";
import { GrowingArray } from "../../../tables/cells/growing-array.js";
import { changeFlags } from "../../../tables/read/change-columns.js";
import { ABSENT, type CellState, stateOfCode, UNCHANGED, UNKNOWN } from "../../cell/cell-state.js";
import type { CellContent } from "../../grid/timelines.js";
import { type ChangeLog, UuidColumn } from "../../log/change-log.js";
import { logFromColumns } from "../../log/log-from-columns.js";
import { type QuestionData, queryAll, requireColumns, type WriteStatement } from "../engine/query-in-batches.js";
import { UNCHANGED_MARK, UNKNOWN_MARK } from "../sql/cell-values.js";

/** Values that arrive as JSON strings, by code. Equal strings are equal values, and are parsed once. */
export class JsonValues {
  /** Entry 0 is null. */
  readonly values: unknown[] = [null];
  readonly #codes = new Map<unknown, number>([["null", 0]]);

  code(text: unknown): number {
    const known = this.#codes.get(text);
    if (known !== undefined) return known;
    const code = this.values.push(JSON.parse(String(text))) - 1;
    this.#codes.set(text, code);
    return code;
  }
}

/** The value of a JSON string, which may have the mark of an unchanged value. */
export function plainValue(text: unknown): unknown {
  const json = String(text);
  return JSON.parse(json.startsWith(UNCHANGED_MARK) ? json.slice(UNCHANGED_MARK.length) : json) as unknown;
}

/**
 * Why no change decides a cell, from its content: a JSON string, a mark, or null if the feature was absent. Undefined
 * if a change decides it.
 */
function reasonOf(text: unknown): number | undefined {
  if (text === null) return ABSENT;
  if (text === UNKNOWN_MARK) return UNKNOWN;
  return typeof text === "string" && text.startsWith(UNCHANGED_MARK) ? UNCHANGED : undefined;
}

/** The content of a cell, from a JSON string that may have a mark. */
export function decodeCell(text: string): CellContent {
  const reason = reasonOf(text);
  const value = reason === UNKNOWN ? null : plainValue(text);
  return { state: stateOfCode(reason ?? Number(value !== null)), value };
}

/** The content of the rows of a result, by row number. */
export interface DecodedCells {
  value(index: number): unknown;
  state(index: number): CellState;
  /** Whether the content comes from a change. */
  isChange(index: number): boolean;
}

/** The contents of cells as they arrive: JSON strings and marks; null if the feature was absent. */
export class CellDecoder {
  readonly #values = new JsonValues();
  readonly #codes = new GrowingArray(Int32Array);

  push(text: unknown): void {
    this.#codes.push(reasonOf(text) ?? this.#values.code(text));
  }

  /** @param current returns the current value of the cell of a row */
  done(current: (index: number) => unknown): DecodedCells {
    const { values } = this.#values;
    const codes = this.#codes.filled();
    const codeAt = (index: number) => codes[index] ?? UNKNOWN;
    return {
      value: (index) => (codeAt(index) === UNCHANGED ? (current(index) ?? null) : (values[codeAt(index)] ?? null)),
      state: (index) => stateOfCode(codeAt(index)),
      isChange: (index) => codeAt(index) >= 0,
    };
  }
}

/**
 * Returns a user as results show it.
 *
 * @param user NaN for none
 */
export function shownUser({ pseudonym }: Pick<QuestionData, "pseudonym">, user: number): number | null {
  if (Number.isNaN(user)) return null;
  return Number(pseudonym ? pseudonym(user) : user);
}

/** UUIDs whose number is not known in advance, in 16 bytes each. */
export class GrowingUuids {
  readonly #words = new GrowingArray(Uint32Array);

  /** @param text a UUID; other values become a UUID of zeros */
  push(text: unknown): void {
    const words = this.#words;
    words.reserve(UUID_WORDS);
    words.values.fill(0, words.length, words.length + UUID_WORDS);
    if (typeof text === "string") packUuid(text, words.values, words.length);
    words.length += UUID_WORDS;
  }

  /** @param values `count` rows of an engine's result */
  pushAll(values: ArrayLike<unknown>, count: number): void {
    const words = this.#words;
    if (values instanceof Uint32Array) {
      words.reserve(values.length);
      words.values.set(values, words.length);
      words.length += values.length;
    } else {
      for (let index = 0; index < count; index += 1) this.push(values[index]);
    }
  }

  filled(): UuidColumn {
    return new UuidColumn(this.#words.filled());
  }
}

/** Approximate number of changes of a feature in all columns. */
export function changesPerFeature({ extent, features }: QuestionData): number {
  return Math.ceil(extent.changeCount / Math.max(features.count, 1));
}

/**
 * Reads some changes as a log.
 *
 * @param write writes the statement for `id`, `f`, `k`, `v`, `us`, `cause`
 */
export async function partialLog(
  data: QuestionData,
  write: WriteStatement,
  signal: AbortSignal | undefined,
): Promise<ChangeLog> {
  const ids = new GrowingUuids();
  const causes = new GrowingUuids();
  const [features, timesUs] = [new GrowingArray(Float64Array), new GrowingArray(Float64Array)];
  const [keyCodes, codes, flags] = [
    new GrowingArray(Uint32Array),
    new GrowingArray(Uint32Array),
    new GrowingArray(Uint32Array),
  ];
  const [keys, values] = [new Map<unknown, number>(), new JsonValues()];
  for await (const rows of queryAll(data, write, signal)) {
    const [changeIds, featureIds, changeKeys, texts, times, causing] = requireColumns(rows.columns, 6);
    for (let index = 0; index < rows.rowCount; index += 1) {
      const [key, cause] = [changeKeys[index], causing[index]];
      const keyCode = keys.get(key) ?? keys.size;
      keys.set(key, keyCode);
      ids.push(changeIds[index]);
      features.push(Number(featureIds[index]));
      keyCodes.push(keyCode);
      codes.push(values.code(texts[index]));
      timesUs.push(Number(times[index]));
      flags.push(typeof cause === "string" ? changeFlags.caused : 0);
      if (typeof cause === "string") causes.push(cause);
    }
  }
  const part = {
    rowCount: features.length,
    ids: ids.filled().words,
    featureIds: features.filled(),
    keys: { codes: keyCodes.filled(), values: [...keys.keys()] },
    values: { codes: codes.filled(), values: values.values },
    timesUs: timesUs.filled(),
    flags: Uint8Array.from(flags.filled()),
    users: { codes: new Uint8Array(features.length), values: [null] },
    causes: causes.filled().words,
  };
  return logFromColumns([part], data.rowOf).log;
}
