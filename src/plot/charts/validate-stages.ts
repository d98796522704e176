import type { ColumnTable } from "arquero";
import { ArgumentError } from "../../core/errors.js";
import { misspelledValue, nameHint } from "../../core/nearest-name.js";
import { listOptions } from "../../core/show-record-value.js";
import { showValue } from "../../core/show-value.js";
import { type Credits, readCredits } from "../../history/columns/credits.js";
import { isHistory } from "../../history/is-history.js";
import { listedLabels } from "../../history/order/legend-order.js";
import { labels, valueLabel } from "../../history/order/value-label.js";
import type { History, Layer } from "../../layer/layer.js";
import type { CountsOverTime } from "./counts-over-time.js";

/** Values that features ever had or may have, by label, including values outside of the dates of a figure. */
export function possibleValues(
  data: History | Layer | ColumnTable,
  column: string,
  counts: CountsOverTime,
): Set<string> {
  const values = new Set(counts.values.filter((value) => value !== labels.unknown));
  if (!isHistory(data)) return values;
  for (const value of data.heldValues(column)) values.add(valueLabel(value));
  return values;
}

/**
 * Refuses values that no feature ever had and that are probably misspelled. Other values may occur in the future.
 *
 * @throws ArgumentError with the probable value
 */
export function requireSpelled(
  option: string,
  stages: readonly unknown[],
  column: string,
  values: ReadonlySet<string>,
  data: History | Layer | ColumnTable,
): void {
  const named = stages.map((value) => valueLabel(value));
  const wrong = stages.find((value) => {
    const label = valueLabel(value);
    return !values.has(label) && misspelledValue(label, values, named) !== undefined;
  });
  if (wrong !== undefined) throw neverHeld(option, wrong, column, values, data);
}

function neverHeld(
  option: string,
  value: unknown,
  column: string,
  values: ReadonlySet<string>,
  data: History | Layer | ColumnTable,
): ArgumentError {
  const options = listedLabels(isHistory(data) ? data.definitions(column) : [], values);
  return new ArgumentError(`${option}: no feature ever had ${showValue(value)} in ${showValue(column)}.`, {
    hint: nameHint(valueLabel(value), options, `The column has ${listOptions([...values], options, MOST_NAMED)}.`),
    facts: { column, option },
  });
}

const MOST_NAMED = 20;

/**
 * Refuses stages that no feature ever had if existing values are omitted. If all existing values are listed, a stage may
 * occur in the future.
 *
 * @throws ArgumentError with the probable value
 */
export function requireStages(
  option: string,
  stages: readonly unknown[],
  column: string,
  { data, counts }: { readonly data: History | Layer | ColumnTable; readonly counts: CountsOverTime },
): void {
  const named = new Set([labels.unknown, labels.none, ...stages.map((stage) => valueLabel(stage))]);
  if (counts.values.every((label) => named.has(label))) return;
  const values = possibleValues(data, column, counts);
  const wrong = values.size === 0 ? undefined : stages.find((stage) => !values.has(valueLabel(stage)));
  if (wrong !== undefined) throw neverHeld(option, wrong, column, values, data);
}

/**
 * The share earned by each label of a column, 0 if the credits omit it; undefined without credits.
 *
 * @throws ArgumentError for invalid shares, and stages that never occur
 */
export function shareByLabel(
  credits: Credits | undefined,
  data: History | Layer | ColumnTable,
  column: string,
  counts: CountsOverTime,
): ((label: string) => number) | undefined {
  const read = readCredits(credits);
  if (!read) return undefined;
  const stages = read.stages.map(([stage]) => stage);
  requireStages("credits", stages, column, { data, counts });
  return (label) => read.share(label) ?? 0;
}
