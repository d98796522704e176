import { type ColumnPairs, type Mismatch, type Reconciliation, reconciliation } from "../../../tables/reconcile.js";
import { askInParts, type Question, type QuestionData } from "../../ask.js";
import { reconcilePart, reconcileRows, reconcileTable } from "../../sql/tables/reconcile.js";

/** Whether the log explains the present, column by column. */
export function reconcile(data: QuestionData): Question<Reconciliation> {
  return {
    table: (signal) => table(data, signal),
    statement: reconcileTable,
    sortedParts: { cellsPerFeature: cellsOf(data), statement: reconcilePart },
  };
}

/** Each cell has the last value in two orders. */
function cellsOf({ columns }: QuestionData): number {
  return 2 * columns.length;
}

async function table(data: QuestionData, signal: AbortSignal | undefined): Promise<Reconciliation> {
  const pairs = data.columns.map(
    () => ({ pairs: 0, valid: 0, insertion: 0, both: 0, neither: 0 }) satisfies ColumnPairs,
  );
  const mismatches: Mismatch[] = [];
  const cells = cellsOf(data);
  if (cells > 0) {
    for await (const { rowCount, columns } of askInParts(data, cells, reconcileRows, signal)) {
      const [columnPlaces, valids, inserteds, features, values, counts] = columns;
      for (let index = 0; index < rowCount; index += 1) {
        const column = Number(columnPlaces?.[index]);
        const [valid, insertion] = [valids?.[index] === true, inserteds?.[index] === true];
        const own = pairs[column];
        if (own) count(own, Number(counts?.[index]), valid, insertion);
        if (valid) continue;
        const row = data.rowOf.get(Number(features?.[index])) ?? 0;
        const logged: unknown = JSON.parse(String(values?.[index]));
        mismatches.push({ row, column, logged, current: data.columns[column]?.values.at(row) ?? null, insertion });
      }
    }
  }
  return reconciliation(data, pairs, mismatches);
}

function count(
  pairs: { -readonly [K in keyof ColumnPairs]: number },
  cells: number,
  valid: boolean,
  insertion: boolean,
): void {
  pairs.pairs += cells;
  if (valid) pairs.valid += cells;
  if (insertion) pairs.insertion += cells;
  if (valid && insertion) pairs.both += cells;
  if (!valid && !insertion) pairs.neither += cells;
}
