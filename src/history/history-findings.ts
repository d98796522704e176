import type { Finding } from "../core/finding.js";
import { sameJson } from "../core/json/json.js";
import { showValue } from "../core/show-value.js";
import type { NamedColumn } from "../layer/name-columns.js";
import type { HistoryData } from "./cell/history-data.js";
import { causeTrees } from "./log/cause-trees.js";
import type { ChangeLog } from "./log/change-log.js";
import { mergeConflicts } from "./merge-conflicts.js";
import { lateChanges } from "./tables/late-changes.js";

/**
 * What a user should know of a log: late edits, cycles of causes, merged columns that once had two values, cells that are
 * not what it says.
 */
export function historyFindings(data: HistoryData): readonly Finding[] {
  return [
    ...lateFinding(lateChanges(data).length),
    ...cycleFinding(data.log),
    ...conflictFindings(data),
    ...presentFindings(
      data,
      data.names.map((_, column) => column),
    ),
  ];
}

/**
 * The cells whose present value is not that of their last change. Of what was known earlier nobody wants to know: it
 * is older than the present.
 */
export function presentFindings(data: HistoryData, columns: readonly number[]): readonly Finding[] {
  if (data.log.length < data.changesInAll) return [];
  return presentFinding(columns.map((column) => [data.names[column] ?? "", countDifferent(data, column)] as const));
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
    const logged = log.values[log.valueCodes[order[end - 1] ?? 0] ?? 0];
    const current = present?.at(row) ?? null;
    if (logged !== current && !sameJson(logged, current)) count += 1;
  }
  return count;
}

/** How many changes were inserted after a newer one. */
export function lateFinding(count: number): readonly Finding[] {
  if (count === 0) return [];
  const were = count === 1 ? "change was" : "changes were";
  return [
    {
      code: "late-edit",
      message: `${count} ${were} inserted after a newer one of the same feature and property; lateEdits() lists them.`,
      count,
    },
  ];
}

/** The changes of a log that are their own causes. */
export function cycleFinding(log: ChangeLog): readonly Finding[] {
  const { cuts } = causeTrees(log);
  if (cuts.length === 0) return [];
  const are = cuts.length === 1 ? "change is its own cause" : "changes are their own causes";
  return [
    {
      code: "cause-cycle",
      message: `${cuts.length} ${are}, by way of others or directly; causes() takes them as roots.`,
      count: cuts.length,
      facts: { change_ids: cuts.map((change) => log.ids.at(change)) },
    },
  ];
}

function conflictFindings(data: HistoryData): readonly Finding[] {
  return data.columns.flatMap((column, index) =>
    column.keys.length > 1 ? conflictFinding(column, mergeConflicts(data, index)) : [],
  );
}

/**
 * The features of a merged column that once had two values.
 *
 * @param count how many
 */
export function conflictFinding({ column, keys }: NamedColumn, count: number): readonly Finding[] {
  if (count === 0) return [];
  return [
    {
      code: "merged-conflict",
      message: `${count} ${count === 1 ? "feature" : "features"} once held two values under the keys of the merged column ${showValue(column)}; the later edit is shown.`,
      count,
      facts: { column, property_keys: keys.map(({ key }) => key) },
    },
  ];
}
