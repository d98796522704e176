import { givenBy } from "../core/forgotten-await.js";
import type { History } from "../layer/layer.js";
import { type ChangeRows, checkChangesOptions, type FromChangesOptions } from "./changes-options.js";

/**
 * Returns the history of any change log, such as a Jira export, a revision log or sensor readings.
 *
 * Ids and property names are the log's own. Tables lack columns that such a log has no values for: `visible_id`,
 * `change_id`, `property_key`, `system`, and `user_id` without the option `user`. A property of a CSV file has numbers
 * or booleans if every value is a number, or `true` or `false`; other properties have strings.
 *
 * @param rows objects, an Arquero or Arrow table, or the path of a file: `.csv`, `.tsv`, `.parquet`, `.ndjson`, `.json`
 * @param options the columns of the log
 * @example
 * ```ts
 * const issues = await fromChanges(
 *   [
 *     { Issue: "A-1", Field: "status", To: "Open", Changed: "2025-05-02T08:00:00Z" },
 *     { Issue: "A-1", Field: "status", To: "Done", Changed: "2025-07-09T16:00:00Z" },
 *   ],
 *   { id: "Issue", key: "Field", value: "To", time: "Changed" },
 * );
 * issues.asOf("2025-06-30")
 * ```
 * @throws ArgumentError for a missing column, a row without id, property or time, and a time without a zone if
 * `timeZone` is missing; the message contains the row
 */
export function fromChanges<Row = Readonly<Record<string, unknown>>>(
  rows: ChangeRows<Row>,
  options: FromChangesOptions<Row>,
): Promise<History> {
  return givenBy("fromChanges()", readHistory(rows, options));
}

async function readHistory<Row>(rows: ChangeRows<Row>, options: FromChangesOptions<Row>): Promise<History> {
  checkChangesOptions("fromChanges()", options);
  const { historyOfChanges } = await import("./changes-history.js");
  return historyOfChanges(rows, options);
}
