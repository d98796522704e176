import type { ColumnTable } from "arquero";
import { firstOf } from "../../core/counted.js";
import { ArgumentError } from "../../core/errors.js";
import { nameHint } from "../../core/nearest-name.js";
import { showValue } from "../../core/show-value.js";
import { type Credits, readCredits } from "../../history/columns/credits.js";
import { isHistory } from "../../history/is-history.js";
import { labels, valueLabel } from "../../history/order/value-label.js";
import type { History, Layer } from "../../layer/layer.js";
import type { CountsOverTime } from "./counts-over-time.js";

/** The values that features ever had or may have, as legends name them: more than the dates of a figure may show. */
export function knownValues(data: History | Layer | ColumnTable, column: string, counts: CountsOverTime): Set<string> {
  const known = new Set(counts.values.filter((value) => value !== labels.unknown));
  if (!isHistory(data)) return known;
  for (const value of data.heldValues(column)) known.add(valueLabel(value));
  return known;
}

/**
 * Refuses values that no feature ever had: a curve of them would be flat, and read as if nothing happened.
 *
 * @throws ArgumentError with the value that was probably meant
 */
export function requireKnown(
  option: string,
  asked: readonly unknown[],
  column: string,
  known: ReadonlySet<string>,
): void {
  if (known.size === 0) return;
  for (const value of asked) {
    const label = valueLabel(value);
    if (known.has(label)) continue;
    const all = [...known].map((one) => showValue(one));
    throw new ArgumentError(`${option}: no feature ever had ${showValue(value)} in ${showValue(column)}.`, {
      hint: nameHint(label, [...known], `There are: ${firstOf(all, MOST_NAMED)}.`),
      facts: { column, option },
    });
  }
}

const MOST_NAMED = 20;

/**
 * Refuses stages that no feature ever had while others are left out. Where all that there is is named, a stage may be
 * still to come.
 *
 * @throws ArgumentError with the value that was probably meant
 */
export function requireStages(
  option: string,
  stages: readonly unknown[],
  column: string,
  { data, counts }: { readonly data: History | Layer | ColumnTable; readonly counts: CountsOverTime },
): void {
  const named = new Set([labels.unknown, labels.none, ...stages.map((stage) => valueLabel(stage))]);
  if (counts.values.every((label) => named.has(label))) return;
  requireKnown(option, stages, column, knownValues(data, column, counts));
}

/**
 * The share that each label of a column earns, 0 where the credits leave it out; undefined without credits.
 *
 * @throws ArgumentError for shares that are none, and stages that no feature was ever at
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
