import { type Diagnostic, withSeverity } from "../core/diagnostic.js";
import { formatInstant } from "../core/format/format-date.js";
import { showValue } from "../core/show-value.js";
import type { NamedColumn } from "../layer/name-columns.js";
import type { FeatureRows } from "./cell/feature-rows.js";
import type { HistoryData } from "./cell/history-data.js";
import { causeTrees } from "./log/cause-forest.js";
import { type ChangeLog, NONE } from "./log/change-log.js";
import { lateChanges } from "./questions/late-edits.js";
import { presentDiagnostics } from "./questions/reconcile.js";

/**
 * Diagnostics about a log: changes after the time of reading, late edits, cycles of causes, merged columns that once
 * had two values, cells that differ from the log.
 */
export function historyDiagnostics(data: HistoryData): readonly Diagnostic[] {
  return [
    ...afterReadDiagnostic(countAfterRead(data), data),
    ...lateDiagnostic(lateChanges(data).length),
    ...cycleDiagnostic(data.log),
    ...conflictDiagnostics(data),
    ...presentDiagnostics(
      data,
      data.names.map((_, column) => column),
    ),
  ];
}

/** @param count number of changes with a date after the log was read */
export function afterReadDiagnostic(count: number, { readAtUs }: Pick<HistoryData, "readAtUs">): readonly Diagnostic[] {
  if (count === 0) return [];
  const readAt = formatInstant(readAtUs);
  const [changes, them] = count === 1 ? ["change is", "it"] : ["changes are", "them"];
  return [
    withSeverity({
      code: "date-after-read",
      message: `${count} ${changes} dated after the log was read (${readAt}). Values at the time of reading do not include ${them}. Check readAt and the dates of the log.`,
      count,
      facts: { read_at: readAt },
    }),
  ];
}

function countAfterRead({ log, columnOfKey, readAtUs }: HistoryData): number {
  let count = 0;
  for (let change = log.initial; change < log.length; change += 1) {
    const isInColumn = columnOfKey[log.keyCodes[change] as number] !== NONE;
    count += Number(isInColumn && (log.timesUs[change] as number) > readAtUs);
  }
  return count;
}

/** @param count is the number of changes that were inserted after a newer one */
export function lateDiagnostic(count: number): readonly Diagnostic[] {
  if (count === 0) return [];
  const were = count === 1 ? "change was" : "changes were";
  return [
    withSeverity({
      code: "edit-late",
      message: `${count} ${were} inserted after a newer one of the same feature and property. List them with lateEdits().`,
      count,
    }),
  ];
}

/** Changes of a log that are their own causes. */
export function cycleDiagnostic(log: ChangeLog): readonly Diagnostic[] {
  const { cuts } = causeTrees(log);
  if (cuts.length === 0) return [];
  const are = cuts.length === 1 ? "change is its own cause" : "changes are their own causes";
  return [
    withSeverity({
      code: "cause-cyclic",
      message: `${cuts.length} ${are}, directly or indirectly. causeTrees() shows them as roots.`,
      count: cuts.length,
      facts: { change_ids: cuts.map((change) => log.ids.at(change)) },
    }),
  ];
}

function conflictDiagnostics(data: HistoryData): readonly Diagnostic[] {
  return data.columns.flatMap((column, index) =>
    column.keys.length > 1 ? conflictDiagnostic(column, mergeConflicts(data, index)) : [],
  );
}

/**
 * Features of a merged column that once had two values.
 *
 * @param count number of features
 */
export function conflictDiagnostic({ column, keys }: NamedColumn, count: number): readonly Diagnostic[] {
  if (count === 0) return [];
  return [
    withSeverity({
      code: "column-merge-conflict",
      message: `${count} ${count === 1 ? "feature" : "features"} once held two values under the keys of the merged column ${showValue(column)}. The column has the later edit.`,
      count,
      facts: { column, property_keys: keys.map(({ key }) => key) },
    }),
  ];
}

/** Maximum number of ids in a diagnostic. */
const MOST_IDS = 100;

/** Features that only exist on earlier dates. */
export function goneDiagnostics(features: FeatureRows): readonly Diagnostic[] {
  const { goneUs } = features;
  const rows = features.rows.filter((row) => goneUs !== undefined && goneUs[row] !== Number.POSITIVE_INFINITY);
  if (rows.length === 0) return [];
  const what = rows.length === 1 ? "1 feature" : `${rows.length} features`;
  const ids = features.base("id");
  return [
    withSeverity({
      code: "feature-gone",
      message: `${what} ${rows.length === 1 ? "was" : "were"} missing from the service when the snapshot was pulled, and only ${rows.length === 1 ? "exists" : "exist"} on earlier dates. To exclude such features, pass { gone: "exclude" }.`,
      count: rows.length,
      facts: { ids: Array.from(rows.subarray(0, MOST_IDS), (row) => ids.at(row)) },
    }),
  ];
}

/**
 * Number of features that had two different values at one time under the keys of a merged column. Values that were
 * there for less than a microsecond do not count: one edit may move a value from key to key.
 */
export function mergeConflicts(
  { index, log, features }: Pick<HistoryData, "index" | "log" | "features">,
  column: number,
): number {
  let conflicts = 0;
  for (let row = 0; row < features.count; row += 1) {
    const cell = index.cell(row, column);
    const [start, end] = [index.start(cell), index.end(cell)];
    const codeOfKey = new Map<number, number>();
    for (let position = start; position < end; position += 1) {
      const change = index.order[position] as number;
      codeOfKey.set(log.keyCodes[change] as number, log.valueCodes[change] as number);
      const isSettled = position + 1 === end || index.timesUs[position + 1] !== index.timesUs[position];
      if (isSettled && new Set([...codeOfKey.values()].filter((code) => code !== 0)).size > 1) {
        conflicts += 1;
        break;
      }
    }
  }
  return conflicts;
}

/**
 * Passes diagnostics to a callback, except diagnostics that it has received before.
 *
 * @param reported the received diagnostics
 */
export function reportNew(
  report: (diagnostic: Diagnostic) => void,
  diagnostics: readonly Diagnostic[],
  reported: readonly Diagnostic[],
): void {
  const former = new Set(reported.map((diagnostic) => JSON.stringify(diagnostic)));
  for (const diagnostic of diagnostics) {
    if (!former.has(JSON.stringify(diagnostic))) report(diagnostic);
  }
}
