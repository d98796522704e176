import type { ColumnTable } from "arquero";
import { canonicalJson } from "../../core/json.js";
import { columnsByKey } from "../../history/cell/columns-by-key.js";
import type { ChangeLog } from "../../history/log/change-log.js";
import { causes as causesTable } from "../../history/tables/causes.js";
import { causeRows } from "../sql/cause-rows.js";
import type { Dialect } from "../sql/dialect.js";
import { literalTable } from "../sql/literal-table.js";
import { partialLog } from "./partial-log.js";
import type { Question } from "./question.js";
import type { QuestionData } from "./question-data.js";

/** Changes that caused others or were caused, tree by tree. */
export function causes(data: QuestionData): Question<ColumnTable> {
  const table = async (signal: AbortSignal | undefined) => treesOf(data, await causeLog(data, signal));
  return {
    table,
    statement: async (scope, _kinds, signal) => literalCauses(scope.dialect, await table(signal)),
  };
}

/** The changes that caused others or were caused. */
export function causeLog(data: QuestionData, signal: AbortSignal | undefined): Promise<ChangeLog> {
  return partialLog(data, causeRows, signal);
}

function treesOf(data: QuestionData, log: ChangeLog): ColumnTable {
  return causesTable({ ...data, log, columnOfKey: columnsByKey(data.columns, log.keys) });
}

/** Trees are followed in this process: not every engine can. */
function literalCauses(dialect: Dialect, trees: ColumnTable): string {
  const texts = (name: string) => Array.from(trees.array(name), textOf);
  const integers = (name: string) => Array.from(trees.array(name), Number);
  return literalTable(
    dialect,
    [
      { name: "root_change_id", type: "text", values: texts("root_change_id") },
      { name: "change_id", type: "text", values: texts("change_id") },
      { name: "depth", type: "integer", values: integers("depth") },
      { name: "id", type: "integer", values: integers("id") },
      { name: "column", type: "text", values: texts("column") },
      { name: "value", type: "text", values: texts("value") },
    ],
    trees.numRows(),
  );
}

function textOf(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  return typeof value === "string" ? value : canonicalJson(value);
}
