import type { ColumnTable } from "arquero";
import { canonicalJson, compareText } from "../../core/json.js";
import type { CellValue, RowTable } from "../../tables/column/row-table.js";
import { toTable } from "../../tables/column/table.js";
import type { HistoryData } from "../cell/history-data.js";
import { columnsByKey } from "../columns/choose-columns.js";
import { type CauseTrees, causeTrees } from "../log/cause-forest.js";
import { type ChangeLog, NONE } from "../log/change-log.js";
import { specify } from "./define/specification.js";
import type { Question, QuestionData } from "./engine/query-in-batches.js";
import { partialLog } from "./rows/partial-log.js";
import { changeCtes } from "./sql/cte/change-ctes.js";
import { featureCte } from "./sql/cte/feature-ctes.js";
import { type LiteralColumn, literalTables } from "./sql/dialect/literals.js";
import { allColumns, type Scope, statement } from "./sql/statement-scope.js";

/** The data for trees of causes. */
type CausesData = Pick<HistoryData, "features" | "log" | "names" | "columnOfKey">;

/** A row of `history.causeTrees()`. */
export interface CauseRow {
  /** The first change of the tree. */
  readonly root_change_id: string;
  /** Id of the change. */
  readonly change_id: string;
  /** Number of causes between it and the first change, which has 0. */
  readonly depth: number;
  /** Id of the feature. */
  readonly id: number;
  /** Column of the property. */
  readonly column: string;
  /** The new value. */
  readonly value: CellValue;
}

declare module "../history.js" {
  interface History<Rows extends ColumnTable, L> {
    /**
     * Returns the changes that caused others or were caused, tree by tree: `root_change_id`, `change_id`, `depth`,
     * `id`, `column`, `value`. A cause outside the log is a root without a row. Cycles are cut at their first change.
     *
     * @example
     * ```ts
     * history.causeTrees().select("depth", "id", "column", "value")
     * ```
     */
    causeTrees(): RowTable<CauseRow>;
  }
}

export const causeTreesSpecification = specify({
  summary: "Changes and the changes that they caused, as trees.",
  takes: [],
  options: {},
  memory: (data) => ({ table: causes(data) }),
  engine: causesQuestion,
});

/** Changes that caused others or were caused, tree by tree, each change directly before the changes that it caused. */
export function causes(data: CausesData): ColumnTable {
  const { features, log, names, columnOfKey } = data;
  const trees = causeTrees(log);
  const columnOf = (change: number) => columnOfKey[log.keyCodes[change] as number] as number;
  const rows = treeOrder(log, trees).filter((change) => columnOf(change) !== NONE);
  return toTable([
    ["root_change_id", rows.map((change) => rootId(log, trees.roots[change] ?? change))],
    ["change_id", rows.map((change) => log.ids.at(change))],
    ["depth", rows.map((change) => trees.depths[change])],
    ["id", rows.map((change) => features.base("id").at(log.rows[change] as number))],
    ["column", rows.map((change) => names[columnOf(change)])],
    ["value", rows.map((change) => log.values[log.valueCodes[change] as number])],
  ]);
}

function rootId({ ids, outsideCauses }: ChangeLog, root: number): string {
  return root >= 0 ? ids.at(root) : (outsideCauses[-2 - root] as string);
}

/** Changes of all trees: trees by the id of their root, each change before its effects, effects by id. */
function treeOrder(log: ChangeLog, trees: CauseTrees): readonly number[] {
  const effects = new Map<number, number[]>();
  trees.parents.forEach((parent, change) => {
    if (parent === NONE) return;
    const cached = effects.get(parent);
    if (cached) cached.push(change);
    else effects.set(parent, [change]);
  });
  const roots = new Set(trees.cuts);
  for (const cause of effects.keys()) roots.add(cause < NONE ? cause : (trees.roots[cause] ?? cause));
  const ordered: number[] = [];
  const open = [...roots].sort((a, b) => compareText(rootId(log, b), rootId(log, a)));
  for (let change = open.pop(); change !== undefined; change = open.pop()) {
    if (change >= 0) ordered.push(change);
    for (const effect of (effects.get(change) ?? []).reverse()) open.push(effect);
  }
  return ordered;
}

/** Changes that caused others or were caused, tree by tree. */
export function causesQuestion(data: QuestionData): Question<ColumnTable> {
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
  return causes({ ...data, log, columnOfKey: columnsByKey(data.columns, log.keys) });
}

/** Half of Trino's limit. Trees are built in this process, because not every engine supports recursion. */
const MOST_CHARACTERS = 500_000;

function literalColumns(trees: ColumnTable): readonly LiteralColumn[] {
  const texts = ["root_change_id", "change_id", "column", "value"];
  return trees.columnNames().map((name) => {
    const valueAt = trees.getter(name);
    return texts.includes(name)
      ? { name, type: "text", valueAt: (row) => textOf(valueAt(row)) }
      : { name, type: "bigint", valueAt: (row) => Number(valueAt(row)) };
  });
}

function textOf(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  return typeof value === "string" ? value : canonicalJson(value);
}

/**
 * The changes that caused others or were caused, for all properties, in the columns of `LogEntry`: `id`, `f`, `k`, `v`,
 * `us`, `cause`; by id. There are few of them, so this process can build the trees.
 */
function causeRows(scope: Scope): string {
  const { double } = scope.dialect;
  const extra = ["c.property_key AS k", "c.caused_by_change_id AS cause"];
  return statement(
    [
      featureCte(scope),
      ...changeCtes(scope, allColumns(scope), { extra, others: true }),
      "known AS (SELECT id, changes.f AS f, k, v, us, cause FROM changes JOIN feat ON feat.f = changes.f WHERE us IS NOT NULL)",
    ],
    `SELECT id, ${double("f")} AS feature, k, v, ${double("us")} AS made, cause FROM known
WHERE cause IS NOT NULL OR id IN (SELECT causing.cause FROM known causing WHERE causing.cause IS NOT NULL)
ORDER BY id`,
  );
}
