import type { ColumnTable } from "arquero";
import { beyondReading } from "../../../cell/beyond-reading.js";
import { UNCHANGED, UNKNOWN } from "../../../cell/cell-state.js";
import { rowsAt } from "../../../cell/present-rows.js";
import { computedColumn } from "../../../columns/block-column.js";
import { chooseColumns } from "../../../columns/choose-columns.js";
import { type AsOfOptions, asOfTable } from "../../../tables/as-of.js";
import { resolveTimePoint, type TimePoint } from "../../../time/valid-time.js";
import { JsonValues } from "../../answer-rows.js";
import { askInParts, type Question, type QuestionData } from "../../ask.js";
import { presenceOf } from "../../log-survey.js";
import { UNKNOWN_MARK } from "../../sql/cell-values.js";
import { type AsOfQuery, asOfCells, asOfTable as asOfStatement } from "../../sql/tables/as-of.js";
import { declaredKinds } from "../../value-kinds.js";

/** The layer as it was at a time. */
export function asOf(data: QuestionData, point: TimePoint, options: AsOfOptions): Question<ColumnTable> {
  const query: AsOfQuery = {
    us: resolveTimePoint(point, data.timeZone),
    columns: chooseColumns(data.names, options.columns),
    backfill: options.unknown === "backfill",
    keepsAbsent: options.absent === "keep",
  };
  return {
    table: (signal) => table(data, query, signal),
    statement: async (scope, kinds) => asOfStatement(scope, declaredKinds(data, await kinds(query.columns)), query),
    cellsPerFeature: query.columns.length,
    findings: () => beyondReading(data, point),
  };
}

async function table(data: QuestionData, query: AsOfQuery, signal: AbortSignal | undefined): Promise<ColumnTable> {
  const present = await presenceOf(data, signal);
  const cells = new Map(query.columns.map((column) => [column, new DecidedCells(data.features.count)]));
  if (cells.size > 0) {
    const write = asOfCells;
    for await (const { rowCount, columns } of askInParts(data, cells.size, (scope) => write(scope, query), signal)) {
      const [features, cols, values] = columns;
      for (let index = 0; index < rowCount; index += 1) {
        const row = data.rowOf.get(Number(features?.[index]));
        if (row !== undefined) cells.get(Number(cols?.[index]))?.decide(row, values?.[index]);
      }
    }
  }
  const rows = rowsAt(present, query.us, query.keepsAbsent ? "keep" : "drop");
  return asOfTable(data, query.columns, rows, (column) => {
    const current = data.columns[column]?.values;
    const decided = cells.get(column);
    return computedColumn(rows.length, (entry) => {
      const row = rows[entry] as number;
      if ((present.presentFromUs[row] as number) > query.us) return null;
      return decided?.isUnchanged(row) ? (current?.at(row) ?? null) : (decided?.at(row) ?? null);
    });
  });
}

/** What the cells of a column say, by row. */
class DecidedCells {
  readonly #codes: Int32Array;
  readonly #values = new JsonValues();

  constructor(rowCount: number) {
    this.#codes = new Int32Array(rowCount).fill(UNCHANGED);
  }

  decide(row: number, value: unknown): void {
    this.#codes[row] = value === UNKNOWN_MARK ? UNKNOWN : this.#values.code(value);
  }

  isUnchanged(row: number): boolean {
    return this.#codes[row] === UNCHANGED;
  }

  at(row: number): unknown {
    return this.#values.values[this.#codes[row] ?? UNKNOWN];
  }
}
