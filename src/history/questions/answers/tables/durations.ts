import type { ColumnTable } from "arquero";
import { GrowingArray } from "../../../../tables/cells/growing-array.js";
import { beyondReading } from "../../../cell/beyond-reading.js";
import { chooseColumn } from "../../../columns/choose-columns.js";
import { type DurationOptions, durationsTable, limitOf } from "../../../tables/durations.js";
import { SaidValues } from "../../answer-rows.js";
import { askInParts, type Question, type QuestionData } from "../../ask.js";
import { BEGINNING_US } from "../../sql/cell-values.js";
import { type DurationsQuery, durationsTable as durationsStatement, stayRows } from "../../sql/tables/durations.js";

/** Changes of a feature in a column, about. */
const CELLS = 4;
/** No stretch that has a beginning is as long as half of what has none. */
const ENDLESS_US = -BEGINNING_US / 2;

/** How long each feature held each value. */
export function durations(data: QuestionData, name: string, options: DurationOptions): Question<ColumnTable> {
  const column = chooseColumn(data.names, name);
  const query = { column, ...limitOf(data, options) };
  return {
    table: (signal) => table(data, query, signal),
    statement: async (scope, kinds) => durationsStatement(scope, (await kinds([column]))[column], query),
    cellsPerFeature: CELLS,
    findings: () => beyondReading(data, options.until),
  };
}

async function table(data: QuestionData, query: DurationsQuery, signal: AbortSignal | undefined): Promise<ColumnTable> {
  const said = new SaidValues();
  const rows = new GrowingArray(Int32Array);
  const heldUs = new GrowingArray(Float64Array);
  const visits = new GrowingArray(Int32Array);
  for await (const { rowCount, columns } of askInParts(data, CELLS, (scope) => stayRows(scope, query), signal)) {
    const [features, values, helds, counts] = columns;
    for (let index = 0; index < rowCount; index += 1) {
      const held = Number(helds?.[index]);
      rows.push(data.rowOf.get(Number(features?.[index])) ?? 0);
      said.push(values?.[index]);
      heldUs.push(held > ENDLESS_US ? Number.POSITIVE_INFINITY : held);
      visits.push(Number(counts?.[index]));
    }
  }
  const [rowAt, usAt, visitsAt] = [rows.filled(), heldUs.filled(), visits.filled()];
  return durationsTable(data, {
    length: rows.length,
    row: (stay) => rowAt[stay] as number,
    us: (stay) => usAt[stay] as number,
    visits: (stay) => visitsAt[stay] as number,
    ...said.done((stay) => data.columns[query.column]?.values.at(rowAt[stay] as number)),
  });
}
