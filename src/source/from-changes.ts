import type { History } from "../layer/layer.js";
import { type ChangeRows, checkChangesOptions, type FromChangesOptions } from "./changes-options.js";

/**
 * The history of any log of changes: a Jira export, a revision log, readings of a sensor.
 *
 * Ids are the log's own, and its properties are called as it calls them. Answers have no column of what such a log does not
 * know: `visible_id`, `change_id`, `property_key`, `system`, and `user_id` without the option `user`. Of CSV a property whose
 * every value is written as a number, or as `true` or `false`, has numbers or booleans; all else stays text.
 *
 * @param rows objects, an Arquero or Arrow table, or the path of a file: `.csv`, `.tsv`, `.parquet`, `.ndjson`, `.json`
 * @param options which column has what
 * @throws ArgumentError for a column that there is not, a row without id, property or time, and a time without a zone where
 *   no `timeZone` is given; the row is named
 */
export async function fromChanges<Row = Readonly<Record<string, unknown>>>(
  rows: ChangeRows<Row>,
  options: FromChangesOptions<Row>,
): Promise<History> {
  checkChangesOptions("fromChanges()", options);
  const { historyOfChanges } = await import("./changes-history.js");
  return historyOfChanges(rows, options);
}
