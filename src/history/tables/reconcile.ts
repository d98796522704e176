import type { ColumnTable } from "arquero";
import type { Finding } from "../../core/finding.js";
import { sameJson } from "../../core/json.js";
import { showValue } from "../../core/show-value.js";
import { toTable } from "../../tables/column/table.js";
import type { HistoryData } from "../cell/history-data.js";

/** How far the log explains the current values, column by column. */
export interface Reconciliation extends ColumnTable {
  /** The pairs that valid order does not explain: `id`, `visible_id`, `column`, `logged`, `current`, `insertion`. */
  readonly mismatches: ColumnTable;
}

/** A cell whose last change in valid order is not what is there at present. */
export interface Mismatch {
  readonly row: number;
  readonly column: number;
  readonly logged: unknown;
  readonly current: unknown;
  /** Whether the value that was inserted last is the current one. */
  readonly insertion: boolean;
}

/** How the last changes of a column compare with the present. */
export interface ColumnPairs {
  readonly pairs: number;
  readonly valid: number;
  readonly insertion: number;
  readonly both: number;
  readonly neither: number;
}

/** Compares the present with the last change of every feature and property, by valid time and by insertion. */
export function reconcile(data: HistoryData): Reconciliation {
  const mismatches: Mismatch[] = [];
  const pairs = data.names.map((_, column) => compareColumn(data, column, mismatches));
  return reconciliation(data, pairs, mismatches);
}

/** @param pairs one for each column */
export function reconciliation(
  { features, names }: Pick<HistoryData, "features" | "names">,
  pairs: readonly ColumnPairs[],
  found: readonly Mismatch[],
): Reconciliation {
  const mismatches = [...found].sort((a, b) => a.row - b.row || a.column - b.column);
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

function compareColumn({ index, log, columns, features }: HistoryData, column: number, mismatches: Mismatch[]) {
  const found = { pairs: 0, valid: 0, insertion: 0, both: 0, neither: 0 };
  const present = columns[column]?.values;
  for (let row = 0; row < features.count; row += 1) {
    const cell = index.cell(row, column);
    const order = index.order.subarray(index.start(cell), index.end(cell));
    if (order.length === 0) continue;
    const current = present?.at(row) ?? null;
    const logged = log.values[log.valueCodes[order.at(-1) ?? 0] as number];
    const inserted = log.values[log.valueCodes[order.reduce((a, b) => Math.max(a, b))] as number];
    const [valid, insertion] = [sameJson(logged, current), sameJson(inserted, current)];
    found.pairs += 1;
    found.valid += Number(valid);
    found.insertion += Number(insertion);
    found.both += Number(valid && insertion);
    found.neither += Number(!valid && !insertion);
    if (!valid) mismatches.push({ row, column, logged, current, insertion });
  }
  return found;
}

/**
 * The cells whose present value is not that of their last change. Of what was known earlier nobody wants to know: it
 * is older than the present.
 */
export function presentFindings(data: HistoryData, columns: readonly number[]): readonly Finding[] {
  if (data.log.length < data.changesInAll) return [];
  return presentFinding(columns.map((column) => [data.names[column] as string, countDifferent(data, column)] as const));
}

/** @param counts how many cells of each column are not what their last change says */
export function presentFinding(counts: readonly (readonly [column: string, count: number])[]): readonly Finding[] {
  const found = counts.filter(([, count]) => count > 0);
  if (found.length === 0) return [];
  const count = found.reduce((sum, [, own]) => sum + own, 0);
  const cells = count === 1 ? "cell is" : "cells are";
  const named = found.map(([column, own]) => `${showValue(column)} (${own})`).join(", ");
  return [
    {
      code: "present-differs",
      message: `${count} ${cells} at present not what the last change says: the layer and asOf() of now differ. reconcile().mismatches lists them: ${named}.`,
      count,
      facts: { columns: Object.fromEntries(found) },
    },
  ];
}

function countDifferent({ index, log, columns, features }: HistoryData, column: number): number {
  const present = columns[column]?.values;
  const { order } = index;
  let count = 0;
  for (let row = 0; row < features.count; row += 1) {
    const cell = index.cell(row, column);
    const [start, end] = [index.start(cell), index.end(cell)];
    if (start === end) continue;
    // The cell has a change, and each change a value.
    const logged = log.values[log.valueCodes[order[end - 1] as number] as number];
    const current = present?.at(row) ?? null;
    if (logged !== current && !sameJson(logged, current)) count += 1;
  }
  return count;
}
