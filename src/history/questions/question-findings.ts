import type { Finding } from "../../core/finding.js";
import { columnsByKey } from "../cell/columns-by-key.js";
import { conflictFinding, cycleFinding, lateFinding } from "../history-findings.js";
import { ChangeIndex } from "../index/change-index.js";
import { mergeConflicts } from "../merge-conflicts.js";
import { presentFinding } from "../tables/reconcile.js";
import { askInParts } from "./answers/ask/ask.js";
import type { QuestionData } from "./answers/ask/question-data.js";
import { changesPerFeature } from "./answers/rows/changes-per-feature.js";
import { partialLog } from "./answers/rows/partial-log.js";
import { causeLog } from "./answers/tables/causes.js";
import { conflictRows } from "./sql/log/conflict-rows.js";
import { lateCount } from "./sql/tables/late-edits.js";
import { differentRows } from "./sql/tables/reconcile.js";

/**
 * What a user should know of a log, as of a history: late edits, cycles of causes, merged columns that once had two values,
 * cells that are not what it says.
 */
export async function askFindings(data: QuestionData): Promise<readonly Finding[]> {
  if (data.columns.length === 0) return cycleFinding(await causeLog(data, undefined));
  return [
    ...lateFinding(await countLate(data)),
    ...cycleFinding(await causeLog(data, undefined)),
    ...(await conflictFindings(data)),
    ...presentFinding(await countDifferent(data)),
  ];
}

/** How many cells of each column are not what their last change says; of what was known earlier nobody asks. */
async function countDifferent(data: QuestionData): Promise<readonly (readonly [string, number])[]> {
  if (data.scope.knownUpTo !== undefined) return [];
  const counts = data.names.map(() => 0);
  for await (const { rowCount, columns } of askInParts(data, 2 * data.columns.length, differentRows, undefined)) {
    for (let index = 0; index < rowCount; index += 1) {
      const column = Number(columns[0]?.[index]);
      counts[column] = (counts[column] ?? 0) + Number(columns[1]?.[index]);
    }
  }
  return data.names.map((name, column) => [name, counts[column] as number]);
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
