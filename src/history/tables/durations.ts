import type { ColumnTable } from "arquero";
import { US_PER_DAY } from "../../core/instant.js";
import { anything, checkOptions, type OptionRules } from "../../core/options.js";
import { toTable } from "../../tables/column/table.js";
import { ABSENT, type CellState, cellState, cellValue } from "../cell/cell-state.js";
import type { HistoryData } from "../cell/history-data.js";
import { spansOf } from "../cell/spans.js";
import { computedColumn } from "../columns/block-column.js";
import { chooseColumn } from "../columns/choose-columns.js";
import { resolveTimeLimit, type TimeLimit, type TimePoint } from "../time/valid-time.js";

/** Options of `history.durations()`. */
export interface DurationOptions {
  /**
   * Where stretches that still hold are cut; `until` of the history if absent. What changes at this very instant has changed,
   * as in `asOf`; a calendar date counts to its end.
   */
  readonly until?: TimePoint;
}

/** What it takes. */
export const durationRules: OptionRules<DurationOptions> = {
  until: anything,
};

interface Stay {
  readonly row: number;
  readonly decision: number;
  us: number;
  visits: number;
}

/** How long each feature held each value, all visits together. */
export function durations(data: HistoryData, name: string, options: DurationOptions = {}): ColumnTable {
  checkOptions("durations()", options, durationRules);
  const column = chooseColumn(data.names, name);
  const stays = staysUntil(data, column, limitOf(data, options));
  return durationsTable(data, {
    length: stays.length,
    row: (stay) => stays[stay]?.row ?? 0,
    value: (stay) => cellValue(data, stays[stay]?.row ?? 0, column, stays[stay]?.decision ?? ABSENT),
    state: (stay) => cellState(data.index, stays[stay]?.decision ?? ABSENT),
    us: (stay) => stays[stay]?.us ?? 0,
    visits: (stay) => stays[stay]?.visits ?? 0,
  });
}

/**
 * Where a question ends that may say `until`: there, else at the point up to which edits are known, else when the log was
 * read.
 */
export function limitOf(
  { readAtUs, knownUntil, timeZone }: Pick<HistoryData, "readAtUs" | "knownUntil" | "timeZone">,
  { until = knownUntil }: DurationOptions,
): TimeLimit {
  return until === undefined ? { lastUs: readAtUs, endUs: readAtUs } : resolveTimeLimit(until, timeZone);
}

/** How long features held values, by number. */
export interface Stays {
  readonly length: number;
  row(stay: number): number;
  value(stay: number): unknown;
  state(stay: number): CellState;
  us(stay: number): number;
  visits(stay: number): number;
}

/** A row for each feature and value. */
export function durationsTable({ features }: Pick<HistoryData, "features">, stays: Stays): ColumnTable {
  const each = <T>(get: (stay: number) => T) => computedColumn(stays.length, get);
  return toTable([
    ["id", each((stay) => features.base("id").at(stays.row(stay)))],
    ["visible_id", each((stay) => features.base("visible_id").at(stays.row(stay)))],
    ["value", each((stay) => stays.value(stay))],
    ["state", each((stay) => stays.state(stay))],
    ["days", each((stay) => stays.us(stay) / US_PER_DAY)],
    ["visits", each((stay) => stays.visits(stay))],
  ]);
}

function staysUntil(data: HistoryData, column: number, { lastUs, endUs }: TimeLimit): readonly Stay[] {
  const spans = spansOf(data, column);
  const stays: Stay[] = [];
  let own = new Map<number, Stay>();
  for (let span = 0; span < spans.length; span += 1) {
    const row = spans.rows[span] as number;
    const decision = spans.decisions[span] as number;
    const from = spans.fromUs[span] as number;
    if (from > lastUs) continue;
    if (stays.at(-1)?.row !== row) own = new Map();
    const key = decision < 0 ? decision : (data.index.valueCodes[decision] as number);
    let stay = own.get(key);
    if (!stay) {
      stay = { row, decision, us: 0, visits: 0 };
      own.set(key, stay);
      stays.push(stay);
    }
    stay.us += Math.min(spans.toUs[span] ?? endUs, endUs) - from;
    stay.visits += 1;
  }
  return stays;
}
