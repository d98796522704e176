import { ArgumentError } from "../core/errors.js";
import { givenBy } from "../core/forgotten-await.js";
import { anything, checkOptions, date, type OptionRules, text, texts } from "../core/options.js";
import { showValue } from "../core/show-value.js";
import type { History } from "../layer/layer.js";
import type { ChangeRows, FromChangesOptions } from "./changes-history.js";

const rules: OptionRules<FromChangesOptions> = {
  id: anything,
  key: anything,
  property: text,
  value: anything,
  time: anything,
  sequence: anything,
  user: anything,
  previous: anything,
  entities: anything,
  entityId: text,
  created: text,
  timeFormat: text,
  delimiter: text,
  encoding: text,
  timeZone: text,
  readAt: date,
  columns: texts,
};

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

/** @throws ArgumentError for options that are not what `fromChanges()` takes */
export function checkChangesOptions<Row>(call: string, options: FromChangesOptions<Row>): void {
  checkOptions<object>(call, options, rules);
  // Without types, the options may be missing.
  const given: Partial<FromChangesOptions<Row>> = options ?? {};
  for (const option of ["id", "value", "time"] as const) requireField(call, option, given[option]);
  if (options.property === undefined)
    requireField(call, "key", options.key, "; or the option property, where there is one only");
  else if (options.key !== undefined) {
    throw new ArgumentError(`${call} takes the option key or the option property, not both.`);
  }
}

function requireField(call: string, option: string, field: unknown, or = ""): void {
  if ((typeof field === "string" && field !== "") || typeof field === "function") return;
  throw new ArgumentError(`${call} needs the option ${option}, got ${showValue(field)}.`, {
    hint: `Give the name of a column, or a function of a row${or}.`,
    facts: { option },
  });
}
