import type { ColumnTable } from "arquero";
import { canonicalJson } from "../../../core/json.js";
import { columnsByKey } from "../../../history/cell/columns-by-key.js";
import type { ChangeLog } from "../../../history/log/change-log.js";
import { causes as causesTable } from "../../../history/tables/causes.js";
import type { Dialect } from "../../sql/dialect/dialect.js";
import { type LiteralColumn, literalTable } from "../../sql/dialect/literal-table.js";
import { causeRows } from "../../sql/tables/cause-rows.js";
import type { Question } from "../ask/question.js";
import type { QuestionData } from "../ask/question-data.js";
import { partialLog } from "../rows/partial-log.js";

/** Changes that caused others or were caused, tree by tree. */
export function causes(data: QuestionData): Question<ColumnTable> {
  const table = async (signal: AbortSignal | undefined) => treesOf(data, await causeLog(data, signal));
  return {
    table,
    statement: async (scope, _kinds, signal) => {
      const trees = await table(signal);
      return literalTable(scope.dialect, literalColumns(trees), { start: 0, end: trees.numRows() });
    },
    statements: async (scope, signal) => {
      const trees = await table(signal);
      return { [Symbol.iterator]: () => literalParts(scope.dialect, trees) };
    },
  };
}

/** The changes that caused others or were caused. */
export function causeLog(data: QuestionData, signal: AbortSignal | undefined): Promise<ChangeLog> {
  return partialLog(data, causeRows, signal);
}

function treesOf(data: QuestionData, log: ChangeLog): ColumnTable {
  return causesTable({ ...data, log, columnOfKey: columnsByKey(data.columns, log.keys) });
}

/** Rows of one statement: a text of some megabytes. */
const ROWS_AT_ONCE = 20_000;

/** Trees are followed in this process: not every engine can. The texts are made one after the other, as they are run. */
function* literalParts(dialect: Dialect, trees: ColumnTable): Generator<string, void, undefined> {
  const columns = literalColumns(trees);
  const rowCount = trees.numRows();
  for (let start = 0; start === 0 || start < rowCount; start += ROWS_AT_ONCE) {
    yield literalTable(dialect, columns, { start, end: Math.min(start + ROWS_AT_ONCE, rowCount) });
  }
}

function literalColumns(trees: ColumnTable): readonly LiteralColumn[] {
  const texts = ["root_change_id", "change_id", "column", "value"];
  return trees.columnNames().map((name) => {
    const valueAt = trees.getter(name);
    return texts.includes(name)
      ? { name, type: "text", valueAt: (row) => textOf(valueAt(row)) }
      : { name, type: "integer", valueAt: (row) => Number(valueAt(row)) };
  });
}

function textOf(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  return typeof value === "string" ? value : canonicalJson(value);
}
