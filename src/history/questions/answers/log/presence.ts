import { GrowingArray } from "../../../../tables/cells/growing-array.js";
import { type Presence, presence } from "../../../cell/present-rows.js";
import { earlyRows } from "../../sql/log-statements.js";
import { askAll } from "../ask/ask.js";
import type { QuestionData } from "../ask/question-data.js";

/** Since when the features exist; found out with the first question that needs it. */
export function presenceOf(data: QuestionData, signal: AbortSignal | undefined): Promise<Presence> {
  return data.presence.get(async () => {
    const rows = new GrowingArray(Int32Array);
    const timesUs = new GrowingArray(Float64Array);
    for await (const { rowCount, columns } of askAll(data, earlyRows, signal)) {
      for (let index = 0; index < rowCount; index += 1) {
        const row = data.rowOf.get(Number(columns[0]?.[index]));
        if (row === undefined) continue;
        rows.push(row);
        timesUs.push(Number(columns[1]?.[index]));
      }
    }
    const early = { rows: rows.filled(), timesUs: timesUs.filled(), length: rows.length };
    return { features: data.features, ...presence(data.features.createdUs, early) };
  });
}
