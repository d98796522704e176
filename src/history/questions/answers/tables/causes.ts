import type { ColumnTable } from "arquero";
import { canonicalJson } from "../../../../core/json.js";
import { columnsByKey } from "../../../columns/choose-columns.js";
import type { ChangeLog } from "../../../log/change-log.js";
import { causes as causesTable } from "../../../tables/causes.js";
import { partialLog } from "../../answer-rows.js";
import type { Question, QuestionData } from "../../ask.js";
import { type LiteralColumn, literalTables } from "../../sql/dialect/literals.js";
import { causeRows } from "../../sql/tables/cause-rows.js";

/** Changes that caused others or were caused, tree by tree. */
export function causes(data: QuestionData): Question<ColumnTable> {
  const table = async (signal: AbortSignal | undefined) => treesOf(data, await causeLog(data, signal));
  return {
    table,
    statement: async (scope, _kinds, signal) => {
      const trees = await table(signal);
      return [...literalTables(scope.dialect, literalColumns(trees), trees.numRows())].join("");
    },
    statements: async (scope, signal) => {
      const trees = await table(signal);
      const columns = literalColumns(trees);
      return {
        [Symbol.iterator]: () => literalTables(scope.dialect, columns, trees.numRows(), MOST_CHARACTERS),
      };
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

/** Half of what Trino takes. Trees are followed in this process: not every engine can. */
const MOST_CHARACTERS = 500_000;

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
