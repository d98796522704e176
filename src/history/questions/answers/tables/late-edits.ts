import type { ColumnTable } from "arquero";
import { GrowingArray } from "../../../../tables/cells/growing-array.js";
import { sortUuids } from "../../../log/valid-order.js";
import { lateEditsTable } from "../../../tables/late-edits.js";
import { changesPerFeature, GrowingUuids, JsonValues } from "../../answer-rows.js";
import { askInParts, type Question, type QuestionData } from "../../ask.js";
import { latePart, lateRows, lateTable } from "../../sql/tables/late-edits.js";

/** Changes that were not the newest of their feature and property when they were inserted. */
export function lateEdits(data: QuestionData): Question<ColumnTable> {
  const cellsPerFeature = changesPerFeature(data);
  return {
    table: (signal) => table(data, signal),
    statement: lateTable,
    sortedParts: { cellsPerFeature, statement: latePart },
    cellsPerFeature,
  };
}

async function table(data: QuestionData, signal: AbortSignal | undefined): Promise<ColumnTable> {
  const growing = new GrowingUuids();
  const values = new JsonValues();
  const [rows, cols, codes] = [
    new GrowingArray(Int32Array),
    new GrowingArray(Int32Array),
    new GrowingArray(Int32Array),
  ];
  const [made, overtaken] = [new GrowingArray(Float64Array), new GrowingArray(Float64Array)];
  for await (const { rowCount, columns } of askInParts(data, changesPerFeature(data), lateRows, signal)) {
    const [changeIds, features, columnPlaces, texts, times, overtakenTimes] = columns;
    for (let index = 0; index < rowCount; index += 1) {
      growing.push(changeIds?.[index]);
      rows.push(data.rowOf.get(Number(features?.[index])) ?? 0);
      cols.push(Number(columnPlaces?.[index]));
      codes.push(values.code(texts?.[index]));
      made.push(Number(times?.[index]));
      overtaken.push(Number(overtakenTimes?.[index]));
    }
  }
  const ids = growing.filled();
  const order = Uint32Array.from({ length: ids.length }, (_, edit) => edit);
  // Each part has its edits in order of insertion.
  sortUuids(ids.words, order);
  const of =
    <T>(get: (edit: number) => T) =>
    (place: number) =>
      get(order[place] as number);
  return lateEditsTable(data, {
    length: order.length,
    changeId: of((edit) => ids.at(edit)),
    row: of((edit) => rows.at(edit)),
    column: of((edit) => cols.at(edit)),
    value: of((edit) => values.values[codes.at(edit)]),
    us: of((edit) => made.at(edit)),
    overtakenUs: of((edit) => overtaken.at(edit)),
  });
}
