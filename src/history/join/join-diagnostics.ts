import { firstOf } from "../../core/counted.js";
import { type Diagnostic, withSeverity } from "../../core/diagnostic.js";
import { formatInstant } from "../../core/format/format-date.js";
import type { HistoryData } from "../cell/history-data.js";
import type { JoinedRows } from "./joined-column.js";

/** Rows of a table that can have no values, by the first missing part. */
export interface LostRows {
  readonly unknownIds: number;
  /** The first of them. */
  readonly unknownRows: readonly number[];
  readonly nullIds: number;
  readonly nullTimes: number;
  readonly nullPoints: number;
}

/** Diagnostics about the rows of a join: those without values, and those after the log was read. */
export function joinDiagnostics(
  { readAtUs }: Pick<HistoryData, "readAtUs">,
  rows: JoinedRows,
  lost: LostRows,
): readonly Diagnostic[] {
  return [...lostDiagnostic(rows.length, lost), ...absentDiagnostic(rows), ...afterReadDiagnostic(readAtUs, rows)];
}

function lostDiagnostic(length: number, lost: LostRows): readonly Diagnostic[] {
  const { unknownIds, unknownRows, nullIds, nullTimes, nullPoints } = lost;
  const count = unknownIds + nullIds + nullTimes + nullPoints;
  if (count === 0) return [];
  const shown = `${unknownIds === 1 ? "row" : "rows"} ${firstOf(unknownRows.map(String), unknownRows.length, { total: unknownIds })}`;
  const reasons = [
    ...(unknownIds > 0 ? [`${unknownIds} with an id that is not in the history (${shown})`] : []),
    ...(nullIds > 0 ? [`${nullIds} without an id`] : []),
    ...(nullTimes > 0 ? [`${nullTimes} without a time`] : []),
    ...(nullPoints > 0 ? [`${nullPoints} without a value in \`knownAt\``] : []),
  ];
  return [
    withSeverity({
      code: "row-without-values",
      message: `${count} of ${length} rows of joinAsOf() have no values: ${reasons.join(", ")}.`,
      count,
      facts: { unknown_ids: unknownIds, null_ids: nullIds, null_times: nullTimes, null_points: nullPoints },
    }),
  ];
}

function absentDiagnostic({ length, absent }: JoinedRows): readonly Diagnostic[] {
  const count = absent?.reduce((sum, one) => sum + one, 0) ?? 0;
  if (count === 0) return [];
  return [
    withSeverity({
      code: "row-before-feature",
      message: `${count} of ${length} rows of joinAsOf() have no values: their features did not exist at these times.`,
      count,
    }),
  ];
}

function afterReadDiagnostic(readAtUs: number, { length, times }: JoinedRows): readonly Diagnostic[] {
  if (times.lastUs <= readAtUs) return [];
  let count = 0;
  for (let row = 0; row < length; row += 1) count += Number((times.us[row] as number) > readAtUs);
  const readAt = formatInstant(readAtUs);
  return [
    withSeverity({
      code: "date-after-read",
      message: `${count} of ${length} rows of joinAsOf() are after the log was read (${readAt}). They have the values known then.`,
      count,
      facts: { read_at: readAt },
    }),
  ];
}
