import type { ColumnTable } from "arquero";
import { GrowingArray } from "../../../../tables/cells/growing-array.js";
import { beyondReading } from "../../../cell/beyond-reading.js";
import { diffTable, timesBetween } from "../../../tables/diff.js";
import type { TimePoint } from "../../../time/valid-time.js";
import { SaidValues } from "../../answer-rows.js";
import { askInParts, type Question, type QuestionData } from "../../ask.js";
import { type DiffQuery, diffRows, diffTable as diffStatement } from "../../sql/tables/diff.js";

/** What happened between two times. */
export function diff(data: QuestionData, earlier: TimePoint, later: TimePoint): Question<ColumnTable> {
  const query = timesBetween(data, earlier, later);
  return {
    table: (signal) => table(data, query, signal),
    statement: (scope) => diffStatement(scope, query),
    cellsPerFeature: 2 * data.columns.length,
    findings: () => beyondReading(data, later),
  };
}

async function table(data: QuestionData, query: DiffQuery, signal: AbortSignal | undefined): Promise<ColumnTable> {
  const rows = new GrowingArray(Int32Array);
  const cols = new GrowingArray(Int32Array);
  const changes = new GrowingArray(Int32Array);
  const [before, after] = [new SaidValues(), new SaidValues()];
  if (data.columns.length > 0) {
    const cells = 2 * data.columns.length;
    for await (const { rowCount, columns } of askInParts(data, cells, (scope) => diffRows(scope, query), signal)) {
      const [features, columnPlaces, befores, afters, counts] = columns;
      for (let index = 0; index < rowCount; index += 1) {
        rows.push(data.rowOf.get(Number(features?.[index])) ?? 0);
        cols.push(Number(columnPlaces?.[index]));
        changes.push(Number(counts?.[index]));
        before.push(befores?.[index]);
        after.push(afters?.[index]);
      }
    }
  }
  const [rowAt, columnAt, changesAt] = [rows.filled(), cols.filled(), changes.filled()];
  const current = (cell: number) => data.columns[columnAt[cell] as number]?.values.at(rowAt[cell] as number);
  const [saidBefore, saidAfter] = [before.done(current), after.done(current)];
  return diffTable(data, {
    length: rows.length,
    row: (cell) => rowAt[cell] as number,
    column: (cell) => columnAt[cell] as number,
    before: saidBefore.value,
    after: saidAfter.value,
    beforeState: saidBefore.state,
    afterState: saidAfter.state,
    changes: (cell) => changesAt[cell] as number,
  });
}
