import type { Finding } from "../core/finding.js";
import { formatInstant } from "../core/instant.js";
import { showValue } from "../core/show-value.js";
import type { NamedColumn } from "../layer/name-columns.js";
import type { FeatureRows } from "./cell/feature-rows.js";
import type { HistoryData } from "./cell/history-data.js";
import { causeTrees } from "./log/cause-trees.js";
import { type ChangeLog, NONE } from "./log/change-log.js";
import { lateChanges } from "./questions/late-edits.js";
import { presentFindings } from "./questions/reconcile.js";

/**
 * Findings of a log: changes after the time of reading, late edits, cycles of causes, merged columns that once
 * had two values, cells that differ from the log.
 */
export function historyFindings(data: HistoryData): readonly Finding[] {
  return [
    ...beyondFinding(countBeyondReading(data), data),
    ...lateFinding(lateChanges(data).length),
    ...cycleFinding(data.log),
    ...conflictFindings(data),
    ...presentFindings(
      data,
      data.names.map((_, column) => column),
    ),
  ];
}

/** @param count how many changes are dated after the log was read */
export function beyondFinding(count: number, { readAtUs }: Pick<HistoryData, "readAtUs">): readonly Finding[] {
  if (count === 0) return [];
  const readAt = formatInstant(readAtUs);
  const [changes, them] = count === 1 ? ["change is", "it"] : ["changes are", "them"];
  return [
    {
      code: "beyond-reading",
      message: `${count} ${changes} dated after the log was read (${readAt}). Values at the time of reading do not include ${them}. Check readAt and the dates of the log.`,
      count,
      facts: { read_at: readAt },
    },
  ];
}

function countBeyondReading({ log, columnOfKey, readAtUs }: HistoryData): number {
  let count = 0;
  for (let change = log.initial; change < log.length; change += 1) {
    const isInColumn = columnOfKey[log.keyCodes[change] as number] !== NONE;
    count += Number(isInColumn && (log.timesUs[change] as number) > readAtUs);
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

/** Ids that a finding lists. */
const MOST_IDS = 100;

/** That some features are part of earlier dates alone. */
export function goneFindings(features: FeatureRows): readonly Finding[] {
  const { goneUs } = features;
  const rows = features.rows.filter((row) => goneUs !== undefined && goneUs[row] !== Number.POSITIVE_INFINITY);
  if (rows.length === 0) return [];
  const what = rows.length === 1 ? "1 feature" : `${rows.length} features`;
  const ids = features.base("id");
  return [
    {
      code: "gone-features",
      message: `${what} no longer came when the snapshot was pulled, and ${rows.length === 1 ? "is" : "are"} part of the dates before that only. gone: "exclude" leaves such features out.`,
      count: rows.length,
      facts: { ids: Array.from(rows.subarray(0, MOST_IDS), (row) => ids.at(row)) },
    },
  ];
}

/**
 * How many features held two different values at one time under the keys of a merged column. Values that were there
 * for less than a microsecond do not count: one edit may move a value from key to key.
 */
export function mergeConflicts(
  { index, log, features }: Pick<HistoryData, "index" | "log" | "features">,
  column: number,
): number {
  let conflicts = 0;
  for (let row = 0; row < features.count; row += 1) {
    const cell = index.cell(row, column);
    const [start, end] = [index.start(cell), index.end(cell)];
    const held = new Map<number, number>();
    for (let place = start; place < end; place += 1) {
      const change = index.order[place] as number;
      held.set(log.keyCodes[change] as number, log.valueCodes[change] as number);
      const isSettled = place + 1 === end || index.timesUs[place + 1] !== index.timesUs[place];
      if (isSettled && new Set([...held.values()].filter((code) => code !== 0)).size > 1) {
        conflicts += 1;
        break;
      }
    }
  }
  return conflicts;
}
