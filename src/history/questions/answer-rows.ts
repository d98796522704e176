import { packUuid, UUID_WORDS } from "../../core/uuid-words.js";
import { GrowingArray } from "../../tables/cells/growing-array.js";
import { changeFlags } from "../../tables/read/change-columns.js";
import { ABSENT, type CellState, stateOfCode, UNCHANGED, UNKNOWN } from "../cell/cell-state.js";
import type { CellContent } from "../grid/timelines.js";
import { type ChangeLog, UuidColumn } from "../log/change-log.js";
import { logFromColumns } from "../log/log-from-columns.js";
import { askAll, type QuestionData, requireColumns, type WriteStatement } from "./ask.js";
import { UNCHANGED_MARK, UNKNOWN_MARK } from "./sql/cell-values.js";

/** Values that come as JSON texts, by code. Equal texts are equal values, and parsed once. */
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

/** The value of a JSON text that may have the mark of what was never changed. */
export function plainValue(text: unknown): unknown {
  const json = String(text);
  return JSON.parse(json.startsWith(UNCHANGED_MARK) ? json.slice(UNCHANGED_MARK.length) : json) as unknown;
}

/** Why no change decides a cell, by what it says, as a JSON text or mark or null where the feature was absent; else undefined. */
function reasonOf(text: unknown): number | undefined {
  if (text === null) return ABSENT;
  if (text === UNKNOWN_MARK) return UNKNOWN;
  return typeof text === "string" && text.startsWith(UNCHANGED_MARK) ? UNCHANGED : undefined;
}

/** What a cell says, by a JSON text that may have a mark. */
export function contentOf(text: string): CellContent {
  const reason = reasonOf(text);
  const value = reason === UNKNOWN ? null : plainValue(text);
  return { state: stateOfCode(reason ?? Number(value !== null)), value };
}

/** What the rows of a result say, by their number. */
export interface SaidAt {
  value(index: number): unknown;
  state(index: number): CellState;
  /** Whether a change says so. */
  isChange(index: number): boolean;
}

/** What cells say, as it comes: JSON texts and marks; null where the feature was absent. */
export class SaidValues {
  readonly #values = new JsonValues();
  readonly #codes = new GrowingArray(Int32Array);

  push(text: unknown): void {
    this.#codes.push(reasonOf(text) ?? this.#values.code(text));
  }

  /** @param current the current value of the cell that a row is about */
  done(current: (index: number) => unknown): SaidAt {
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
 * A person as results show him.
 *
 * @param user NaN for nobody
 */
export function shownUser({ pseudonym }: Pick<QuestionData, "pseudonym">, user: number): number | null {
  if (Number.isNaN(user)) return null;
  return Number(pseudonym ? pseudonym(user) : user);
}

/** UUIDs of which nobody knows yet how many there will be, in 16 bytes each. */
export class GrowingUuids {
  readonly #words = new GrowingArray(Uint32Array);

  /** @param text anything else than a text is a UUID of zeros */
  push(text: unknown): void {
    const words = this.#words;
    words.reserve(UUID_WORDS);
    words.values.fill(0, words.length, words.length + UUID_WORDS);
    if (typeof text === "string") packUuid(text, words.values, words.length);
    words.length += UUID_WORDS;
  }

  /** @param values of `count` rows of an engine's answer */
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

/** Changes of a feature in all columns, about. */
export function changesPerFeature({ extent, features }: QuestionData): number {
  return Math.ceil(extent.changeCount / Math.max(features.count, 1));
}

/**
 * Some changes as a log.
 *
 * @param write asks for `id`, `f`, `k`, `v`, `us`, `cause`
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
  for await (const rows of askAll(data, write, signal)) {
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
