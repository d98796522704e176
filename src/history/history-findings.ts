import type { Finding } from "../core/finding.js";
import { showValue } from "../core/show-value.js";
import type { HistoryData } from "./cell/history-data.js";
import { causeTrees } from "./log/cause-trees.js";
import { mergeConflicts } from "./merge-conflicts.js";
import { lateChanges } from "./tables/late-changes.js";

/** What a user should know of a log: late edits, cycles of causes, merged columns that once had two values. */
export function historyFindings(data: HistoryData): readonly Finding[] {
  return [...lateFinding(data), ...cycleFinding(data), ...conflictFindings(data)];
}

function lateFinding(data: HistoryData): Finding[] {
  const count = lateChanges(data).length;
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

function cycleFinding({ log }: HistoryData): Finding[] {
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

function conflictFindings(data: HistoryData): Finding[] {
  return data.columns.flatMap(({ column, keys }, index) => {
    const count = keys.length > 1 ? mergeConflicts(data, index) : 0;
    if (count === 0) return [];
    return {
      code: "merged-conflict",
      message: `${count} ${count === 1 ? "feature" : "features"} once held two values under the keys of the merged column ${showValue(column)}; the later edit is shown.`,
      count,
      facts: { column, property_keys: keys.map(({ key }) => key) },
    };
  });
}
