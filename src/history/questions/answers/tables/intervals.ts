import type { ColumnTable } from "arquero";
import { GrowingArray } from "../../../../tables/cells/growing-array.js";
import { chooseColumn } from "../../../columns/choose-columns.js";
import { intervalsTable } from "../../../tables/intervals.js";
import { GrowingUuids, SaidValues } from "../../answer-rows.js";
import { askInParts, type Question, type QuestionData } from "../../ask.js";
import { BEGINNING_US } from "../../sql/cell-values.js";
import { intervalsTable as intervalsStatement, spanRows } from "../../sql/tables/intervals.js";

/** Changes of a feature in a column, about. */
const CELLS = 4;

/** When each feature held which value. */
export function intervals(data: QuestionData, name: string): Question<ColumnTable> {
  const column = chooseColumn(data.names, name);
  return {
    table: (signal) => table(data, column, signal),
    statement: async (scope, kinds) => intervalsStatement(scope, (await kinds([column]))[column], column),
    cellsPerFeature: CELLS,
  };
}

async function table(data: QuestionData, column: number, signal: AbortSignal | undefined): Promise<ColumnTable> {
  const said = new SaidValues();
  const rows = new GrowingArray(Int32Array);
  const fromUs = new GrowingArray(Float64Array);
  const toUs = new GrowingArray(Float64Array);
  const ids = new GrowingUuids();
  let [feature, row] = [Number.NaN, 0];
  for await (const { rowCount, columns } of askInParts(data, CELLS, (scope) => spanRows(scope, column), signal)) {
    const [features, values, froms, tos, changeIds] = columns;
    ids.pushAll(changeIds ?? [], rowCount);
    for (let index = 0; index < rowCount; index += 1) {
      const [next, from] = [Number(features?.[index]), Number(froms?.[index])];
      // Stretches of a feature stand together.
      if (next !== feature) row = data.rowOf.get(next) ?? 0;
      feature = next;
      rows.push(row);
      said.push(values?.[index]);
      fromUs.push(from === BEGINNING_US ? Number.NEGATIVE_INFINITY : from);
      toUs.push(Number(tos?.[index] ?? Number.POSITIVE_INFINITY));
    }
  }
  const [rowOf, changeIds] = [rows.filled(), ids.filled()];
  const spans = { length: rows.length, rows: rowOf, fromUs: fromUs.filled(), toUs: toUs.filled() };
  const saidAt = said.done((span) => data.columns[column]?.values.at(rowOf[span] as number));
  return intervalsTable(data, spans, {
    ...saidAt,
    changeId: (span) => (saidAt.isChange(span) ? changeIds.at(span) : null),
  });
}
