import type { Finding } from "../core/finding.js";
import { columnsByKey } from "../history/cell/columns-by-key.js";
import { conflictFinding, cycleFinding, lateFinding } from "../history/history-findings.js";
import { ChangeIndex } from "../history/index/change-index.js";
import { mergeConflicts } from "../history/merge-conflicts.js";
import { askInParts } from "./answers/ask/ask.js";
import type { QuestionData } from "./answers/ask/question-data.js";
import { changesPerFeature } from "./answers/rows/changes-per-feature.js";
import { partialLog } from "./answers/rows/partial-log.js";
import { causeLog } from "./answers/tables/causes.js";
import { conflictRows } from "./sql/log/conflict-rows.js";
import { lateCount } from "./sql/tables/late-edits.js";

/** What a user should know of a log, as of a history: late edits, cycles of causes, merged columns that once had two values. */
export async function askFindings(data: QuestionData): Promise<readonly Finding[]> {
  if (data.columns.length === 0) return cycleFinding(await causeLog(data, undefined));
  return [
    ...lateFinding(await countLate(data)),
    ...cycleFinding(await causeLog(data, undefined)),
    ...(await conflictFindings(data)),
  ];
}

async function countLate(data: QuestionData): Promise<number> {
  let count = 0;
  for await (const { columns } of askInParts(data, changesPerFeature(data), lateCount, undefined)) {
    count += Number(columns[0]?.[0]);
  }
  return count;
}

async function conflictFindings(data: QuestionData): Promise<readonly Finding[]> {
  const merged = data.columns.flatMap(({ keys }, column) => (keys.length > 1 ? [column] : []));
  if (merged.length === 0) return [];
  const { features, columns } = data;
  const log = await partialLog(data, (scope) => conflictRows(scope, merged), undefined);
  const index = new ChangeIndex(log, features.count, columns.length, columnsByKey(columns, log.keys));
  return merged.flatMap((column) => {
    const own = columns[column];
    return own ? conflictFinding(own, mergeConflicts({ index, log, features }, column)) : [];
  });
}
