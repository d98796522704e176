import { packUuid, UUID_WORDS } from "../../../core/uuid.js";
import { GrowingArray } from "../../../tables/cells/growing-array.js";
import { changeFlags } from "../../../tables/read/change-columns.js";
import { type ChangeLog, UuidColumn } from "../../log/change-log.js";
import { logFromColumns } from "../../log/log-from-columns.js";
import { type QuestionData, queryAll, requireColumns, type WriteStatement } from "../engine/query-in-batches.js";
import { JsonValues } from "./cell-decoder.js";

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
