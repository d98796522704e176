import { GrowingArray } from "../../../../tables/cells/growing-array.js";
import { changeFlags } from "../../../../tables/read/change-columns.js";
import type { ChangeLog } from "../../../log/change-log.js";
import { logFromColumns } from "../../../log/log-from-columns.js";
import { askAll, type WriteStatement } from "../ask/ask.js";
import type { QuestionData } from "../ask/question-data.js";
import { GrowingUuids } from "./growing-uuids.js";
import { JsonValues } from "./json-values.js";

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
    const [changeIds, featureIds, changeKeys, texts, times, causing] = rows.columns;
    for (let index = 0; index < rows.rowCount; index += 1) {
      const [key, cause] = [changeKeys?.[index], causing?.[index]];
      const keyCode = keys.get(key) ?? keys.size;
      keys.set(key, keyCode);
      ids.push(changeIds?.[index]);
      features.push(Number(featureIds?.[index]));
      keyCodes.push(keyCode);
      codes.push(values.code(texts?.[index]));
      timesUs.push(Number(times?.[index]));
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
