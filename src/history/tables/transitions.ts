import type { ColumnTable } from "arquero";
import { toTable } from "../../columns/column/table.js";
import { US_PER_DAY } from "../../core/instant.js";
import type { HistoryData } from "../cell/history-data.js";
import { spansOf } from "../cell/spans.js";
import { chooseColumn } from "../columns/choose-columns.js";
import { compareValues } from "../columns/compare-values.js";
import { PairCodes } from "../grid/pair-codes.js";

/** How often one value followed another, and how long the first had held. */
export function transitions(data: HistoryData, name: string): ColumnTable {
  const spans = spansOf(data, chooseColumn(data.names, name));
  const { valueCodes } = data.index;
  const { values } = data.log;
  const codes = new PairCodes(values.length, values.length);
  const heldUs: number[][] = [];
  for (let span = 1; span < spans.length; span += 1) {
    const [before, after] = [spans.decisions[span - 1] ?? 0, spans.decisions[span] ?? 0];
    if (before < 0 || spans.rows[span - 1] !== spans.rows[span]) continue;
    const pair = codes.code(valueCodes[before] ?? 0, valueCodes[after] ?? 0);
    const held = (spans.toUs[span - 1] ?? 0) - (spans.fromUs[span - 1] ?? 0);
    const known = heldUs[pair];
    if (known) known.push(held);
    else heldUs[pair] = [held];
  }
  return transitionsTable(
    codes.pairs.map(([from, to], pair) => {
      const held = heldUs[pair] ?? [];
      return { from: values[from], to: values[to], count: held.length, medianUs: median(held) };
    }),
  );
}

/** How often one value followed another. */
export interface Transition {
  readonly from: unknown;
  readonly to: unknown;
  readonly count: number;
  /** How long the first had held. */
  readonly medianUs: number;
}

/** A row for each pair of values, the most frequent first. */
export function transitionsTable(transitions: readonly Transition[]): ColumnTable {
  const rows = [...transitions].sort(
    (a, b) => b.count - a.count || compareValues(a.from, b.from) || compareValues(a.to, b.to),
  );
  return toTable([
    ["from", rows.map(({ from }) => from)],
    ["to", rows.map(({ to }) => to)],
    ["count", rows.map(({ count }) => count)],
    ["median_days", rows.map(({ medianUs }) => medianUs / US_PER_DAY)],
  ]);
}

function median(values: readonly number[]): number {
  const sorted = Float64Array.from(values).sort();
  const middle = sorted.length >>> 1;
  const upper = sorted[middle] ?? 0;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? 0) + upper) / 2;
}
