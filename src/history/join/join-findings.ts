import { firstOf } from "../../core/counted.js";
import type { Finding } from "../../core/finding.js";
import { formatInstant } from "../../core/instant.js";
import type { HistoryData } from "../cell/history-data.js";
import type { JoinedRows } from "./joined-column.js";

/** Rows of a table that can have no values, by what they lack first. */
export interface LostRows {
  readonly unknownIds: number;
  /** The first of them. */
  readonly unknownRows: readonly number[];
  readonly nullIds: number;
  readonly nullTimes: number;
  readonly nullPoints: number;
}

/** What to know of the rows of a join: those that have no values, and those after the log was read. */
export function joinFindings(
  { readAtUs }: Pick<HistoryData, "readAtUs">,
  rows: JoinedRows,
  lost: LostRows,
): readonly Finding[] {
  return [...lostFinding(rows.length, lost), ...absentFinding(rows), ...beyondFinding(readAtUs, rows)];
}

function lostFinding(length: number, lost: LostRows): readonly Finding[] {
  const { unknownIds, unknownRows, nullIds, nullTimes, nullPoints } = lost;
  const count = unknownIds + nullIds + nullTimes + nullPoints;
  if (count === 0) return [];
  const shown = `${unknownIds === 1 ? "row" : "rows"} ${firstOf(unknownRows.map(String), unknownRows.length, { total: unknownIds })}`;
  const reasons = [
    ...(unknownIds > 0 ? [`${unknownIds} with an id that no feature of the history has (${shown})`] : []),
    ...(nullIds > 0 ? [`${nullIds} without an id`] : []),
    ...(nullTimes > 0 ? [`${nullTimes} without a time`] : []),
    ...(nullPoints > 0 ? [`${nullPoints} without a point in knownAt`] : []),
  ];
  return [
    {
      code: "rows-without-values",
      message: `${count} of ${length} rows of at() have no values: ${reasons.join(", ")}.`,
      count,
      facts: { unknown_ids: unknownIds, null_ids: nullIds, null_times: nullTimes, null_points: nullPoints },
    },
  ];
}

function absentFinding({ length, absent }: JoinedRows): readonly Finding[] {
  const count = absent?.reduce((sum, one) => sum + one, 0) ?? 0;
  if (count === 0) return [];
  return [
    {
      code: "rows-before-features",
      message: `${count} of ${length} rows of at() have no values: their features did not exist at their times.`,
      count,
    },
  ];
}

function beyondFinding(readAtUs: number, { length, times }: JoinedRows): readonly Finding[] {
  if (times.lastUs <= readAtUs) return [];
  let count = 0;
  for (let row = 0; row < length; row += 1) count += Number((times.us[row] as number) > readAtUs);
  const readAt = formatInstant(readAtUs);
  return [
    {
      code: "beyond-reading",
      message: `${count} of ${length} rows of at() are after the log was read (${readAt}): they have what was known then.`,
      count,
      facts: { read_at: readAt },
    },
  ];
}
