import type { ColumnTable } from "arquero";
import { type Diagnostic, withSeverity } from "../../core/diagnostic.js";
import { sameJson } from "../../core/json.js";
import { showValue } from "../../core/show-value.js";
import { toTable } from "../../tables/column/table.js";
import type { HistoryData } from "../cell/history-data.js";
import { specify } from "./define/specification.js";
import {
  type Question,
  type QuestionData,
  queryInBatches,
  requireColumns,
  rowOfFeature,
  type WriteStatement,
} from "./engine/query-in-batches.js";
import { changeCtes, ofLastChange } from "./sql/cte/change-ctes.js";
import { columnCtes, featureCte, presentCells } from "./sql/cte/feature-ctes.js";
import { usLiteral } from "./sql/dialect/literals.js";
import { allColumns, type PartStatement, type Scope, statement } from "./sql/statement-scope.js";

/** Agreement between the log and the current values, by column. */
export interface Reconciliation extends ColumnTable {
  /** The pairs that valid order does not explain: `id`, `visible_id`, `column`, `logged`, `current`, `insertion`. */
  readonly mismatches: ColumnTable;
}

/** A cell whose current value differs from the log at the time of reading. */
export interface Mismatch {
  readonly row: number;
  readonly column: number;
  /** Value of the last change up to the time of reading; null if all changes are later. */
  readonly logged: unknown;
  readonly current: unknown;
  /** Whether the value that was inserted last is the current one. */
  readonly insertion: boolean;
}

/** Agreement between the log of a column and the current values. */
interface ColumnPairs {
  readonly pairs: number;
  readonly valid: number;
  readonly insertion: number;
  readonly both: number;
  readonly neither: number;
}

declare module "../history.js" {
  interface History<Rows extends ColumnTable, L> {
    /**
     * Returns how many current values the log explains, by column: `column`, `pairs` (features with changes), then the
     * number of current values that equal the last change in `valid` order up to the time of reading, in order of
     * `insertion`, in `both`, in `neither`. `mismatches` lists the pairs that differ from valid order: `id`,
     * `visible_id`, `column`, `logged`, `current`, `insertion`.
     *
     * @example
     * ```ts
     * history.reconcile().mismatches.select("visible_id", "column", "logged", "current")
     * ```
     */
    reconcile(): Reconciliation;
  }
}

export const reconcileSpecification = specify({
  summary: "Check of the log against current values, by column.",
  takes: [],
  options: {},
  parts: ["mismatches"],
  memory: (data) => ({ table: reconcile(data) }),
  engine: reconcileQuestion,
});

/**
 * Compares current values with the log of every feature and property. The present is the time of reading: in valid
 * order, a change with a later date is not in effect yet; in order of insertion, the change inserted last counts,
 * whatever its date.
 */
export function reconcile(data: HistoryData): Reconciliation {
  const mismatches: Mismatch[] = [];
  const pairs = data.names.map((_, column) => compareColumn(data, column, mismatches));
  return reconciliation(data, pairs, mismatches);
}

/** @param pairs one entry per column */
function reconciliation(
  { features, names }: Pick<HistoryData, "features" | "names">,
  pairs: readonly ColumnPairs[],
  unsorted: readonly Mismatch[],
): Reconciliation {
  const mismatches = [...unsorted].sort((a, b) => a.row - b.row || a.column - b.column);
  const table = toTable([
    ["column", names],
    ["pairs", pairs.map(({ pairs: count }) => count)],
    ["valid", pairs.map(({ valid }) => valid)],
    ["insertion", pairs.map(({ insertion }) => insertion)],
    ["both", pairs.map(({ both }) => both)],
    ["neither", pairs.map(({ neither }) => neither)],
  ]);
  return Object.assign(table, {
    mismatches: toTable([
      ["id", mismatches.map(({ row }) => features.base("id").at(row))],
      ["visible_id", mismatches.map(({ row }) => features.base("visible_id").at(row))],
      ["column", mismatches.map(({ column }) => names[column])],
      ["logged", mismatches.map(({ logged }) => logged)],
      ["current", mismatches.map(({ current }) => current)],
      ["insertion", mismatches.map(({ insertion }) => insertion)],
    ]),
  });
}

function compareColumn(data: HistoryData, column: number, mismatches: Mismatch[]) {
  const { index, log, columns, features } = data;
  const pairCounts = { pairs: 0, valid: 0, insertion: 0, both: 0, neither: 0 };
  const present = columns[column]?.values;
  for (let row = 0; row < features.count; row += 1) {
    const cell = index.cell(row, column);
    const order = index.order.subarray(index.start(cell), index.end(cell));
    if (order.length === 0) continue;
    const current = present?.at(row) ?? null;
    const logged = loggedAtReading(data, cell);
    const inserted = log.values[log.valueCodes[order.reduce((a, b) => Math.max(a, b))] as number];
    const [valid, insertion] = [sameJson(logged, current), sameJson(inserted, current)];
    pairCounts.pairs += 1;
    pairCounts.valid += Number(valid);
    pairCounts.insertion += Number(insertion);
    pairCounts.both += Number(valid && insertion);
    pairCounts.neither += Number(!valid && !insertion);
    if (!valid) mismatches.push({ row, column, logged, current, insertion });
  }
  return pairCounts;
}

/** The value of a cell by the log at the time of reading; null if all changes have later dates. */
function loggedAtReading({ index, log, readAtUs }: HistoryData, cell: number): unknown {
  const position = index.lastUpTo(cell, readAtUs);
  return position === undefined ? null : log.values[index.valueCodes[position] as number];
}

/**
 * Diagnostics for cells whose current value differs from the log. Empty after `knownAt()`, which is before the present.
 */
export function presentDiagnostics(data: HistoryData, columns: readonly number[]): readonly Diagnostic[] {
  if (data.log.length < data.changesInAll) return [];
  return presentDiagnostic(
    columns.map((column) => [data.names[column] as string, countDifferent(data, column)] as const),
  );
}

/** @param counts number of cells of each column that differ from the log */
export function presentDiagnostic(
  counts: readonly (readonly [column: string, count: number])[],
): readonly Diagnostic[] {
  const matches = counts.filter(([, count]) => count > 0);
  if (matches.length === 0) return [];
  const count = matches.reduce((sum, [, cellCount]) => sum + cellCount, 0);
  const cells = count === 1 ? "cell differs from its" : "cells differ from their";
  const named = matches.map(([column, cellCount]) => `${showValue(column)} (${cellCount})`).join(", ");
  return [
    withSeverity({
      code: "log-differs-from-current",
      message: `${count} ${cells} last logged change, so layer.table and history.asOf() of today disagree: ${named}. See reconcile().mismatches.`,
      count,
      facts: { columns: Object.fromEntries(matches) },
    }),
  ];
}

function countDifferent(data: HistoryData, column: number): number {
  const { index, columns, features } = data;
  const present = columns[column]?.values;
  let count = 0;
  for (let row = 0; row < features.count; row += 1) {
    const cell = index.cell(row, column);
    if (index.start(cell) === index.end(cell)) continue;
    const logged = loggedAtReading(data, cell);
    const current = present?.at(row) ?? null;
    if (logged !== current && !sameJson(logged, current)) count += 1;
  }
  return count;
}

/** The question for the agreement between the log and current values, by column. */
export function reconcileQuestion(data: QuestionData): Question<Reconciliation> {
  return {
    table: (signal) => table(data, signal),
    statement: (scope) => countedTable(scope, data.readAtUs, ""),
    sortedParts: { cellsPerFeature: cellsOf(data), statement: (scope) => reconcilePart(scope, data.readAtUs) },
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
    const write: WriteStatement = (scope) => reconcileRows(scope, data.readAtUs);
    for await (const { rowCount, columns } of queryInBatches(data, cells, write, signal)) {
      const [columnPlaces, valids, inserteds, features, values, counts] = requireColumns(columns, 6);
      for (let index = 0; index < rowCount; index += 1) {
        const column = Number(columnPlaces[index]);
        const [valid, insertion] = [valids[index] === true, inserteds[index] === true];
        const pairsOfColumn = pairs[column];
        if (pairsOfColumn) count(pairsOfColumn, Number(counts[index]), valid, insertion);
        if (valid) continue;
        const row = rowOfFeature(data, features[index]);
        const logged: unknown = JSON.parse(String(values[index]));
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

/**
 * Comparison of the last changes with current values: `col`, `is_valid`, `is_inserted` (whether the last change in
 * valid order, and in order of insertion, is the current value), `n` cells. For cells whose last change in valid order
 * differs, one row each, with `f` and `v`.
 */
function reconcileRows(scope: Scope, readAtUs: number): string {
  const { double } = scope.dialect;
  return statement(
    comparedMembers(scope, readAtUs),
    `SELECT col, is_valid, is_inserted, ${double("odd_f")} AS feature, odd_v, ${double("count(*)")} AS n
FROM (SELECT col, is_valid, is_inserted, CASE WHEN NOT is_valid THEN f END AS odd_f, CASE WHEN NOT is_valid THEN valid END AS odd_v
  FROM compared) cells
GROUP BY col, is_valid, is_inserted, odd_f, odd_v`,
  );
}

/** Number of cells that currently differ from the log: `col`, `n`. */
export function differentRows(scope: Scope, readAtUs: number): string {
  const { double } = scope.dialect;
  return statement(
    comparedMembers(scope, readAtUs),
    `SELECT ${double("col")} AS place, ${double("count(*)")} AS n FROM compared WHERE NOT is_valid GROUP BY col`,
  );
}

/** The answer about some features: the counts of a column are added once all parts are there. */
function reconcilePart(scope: Scope, readAtUs: number): PartStatement {
  const { dialect } = scope;
  const column = dialect.identifier("column");
  const sums = counts
    .map(({ name }) => dialect.identifier(name))
    .map((name) => `${dialect.cast(`sum(${name})`, "bigint")} AS ${name}`);
  return {
    sql: countedTable(scope, readAtUs, "named, "),
    afterwards: [
      (table) => `SELECT ${[column, ...sums].join(", ")} FROM ${table} GROUP BY named, ${column} ORDER BY named`,
    ],
  };
}

const ifTrue = (condition: string) => `count(CASE WHEN ${condition} THEN 1 END)`;

const counts = [
  { name: "pairs", sql: "count(col)" },
  { name: "valid", sql: ifTrue("is_valid") },
  { name: "insertion", sql: ifTrue("is_inserted") },
  { name: "both", sql: ifTrue("is_valid AND is_inserted") },
  { name: "neither", sql: ifTrue("NOT is_valid AND NOT is_inserted") },
];

/**
 * The self-contained statement for the agreement between log and current values, by column.
 *
 * @param before expressions before the column's name
 */
function countedTable(scope: Scope, readAtUs: number, before: string): string {
  const { dialect } = scope;
  const selected = counts.map(({ name, sql }) => `${sql} AS ${dialect.identifier(name)}`);
  return statement(
    [...comparedMembers(scope, readAtUs), ...columnCtes(scope, "named")],
    `SELECT ${[`${before}name AS ${dialect.identifier("column")}`, ...selected].join(",\n  ")}
FROM cols LEFT JOIN compared ON col = named GROUP BY named, name ORDER BY named`,
  );
}

/** `compared`: for each changed cell, whether its last changes are the current value. */
function comparedMembers(scope: Scope, readAtUs: number): string[] {
  const { dialect } = scope;
  const valid = ofLastChange(dialect, "v", `us <= ${usLiteral(readAtUs)}`);
  const now = presentCells(scope);
  return [
    ...now.members,
    featureCte(scope, now.carried, now.joins),
    ...changeCtes(scope, allColumns(scope)),
    `ends AS (SELECT f AS changed, col, coalesce(${valid}, 'null') AS valid, ${dialect.lastBy("v", ["id"])} AS inserted
  FROM changes WHERE us IS NOT NULL GROUP BY f, col)`,
    `matched AS (SELECT f, col, valid, inserted, ${now.of("col")} AS now FROM ends JOIN feat ON f = changed)`,
    "compared AS (SELECT f, col, valid, valid = now AS is_valid, inserted = now AS is_inserted FROM matched)",
  ];
}
