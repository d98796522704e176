import type { ColumnTable } from "arquero";
import { toTable } from "../../columns/column/table.js";
import { checkOptions } from "../../core/check-options.js";
import { US_PER_DAY } from "../../core/instant.js";
import { anything, type OptionRules } from "../../core/option-rules.js";
import { cellState, cellValue } from "../cell/cell-state.js";
import type { HistoryData } from "../cell/history-data.js";
import { spansOf } from "../cell/spans.js";
import { chooseColumn } from "../columns/choose-columns.js";
import { resolveTimeEnd, type TimePoint } from "../time/valid-time.js";

/** Options of `history.durations()`. */
export interface DurationOptions {
  /** Where stretches that still hold are cut; `readAt` if absent. A calendar date counts to its end. */
  readonly until?: TimePoint;
}

const durationRules: OptionRules<DurationOptions> = {
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
  const { until } = options;
  const column = chooseColumn(data.names, name);
  const endUs = until === undefined ? data.readAtUs : resolveTimeEnd(until, data.timeZone);
  const stays = staysUntil(data, column, endUs);
  const { features, index } = data;
  return toTable([
    ["id", stays.map(({ row }) => features.base("id").at(row))],
    ["visible_id", stays.map(({ row }) => features.base("visible_id").at(row))],
    ["value", stays.map(({ row, decision }) => cellValue(data, row, column, decision))],
    ["state", stays.map(({ decision }) => cellState(index, decision))],
    ["days", stays.map(({ us }) => us / US_PER_DAY)],
    ["visits", stays.map(({ visits }) => visits)],
  ]);
}

function staysUntil(data: HistoryData, column: number, endUs: number): readonly Stay[] {
  const spans = spansOf(data, column);
  const stays: Stay[] = [];
  let own = new Map<number, Stay>();
  for (let span = 0; span < spans.length; span += 1) {
    const row = spans.rows[span] ?? 0;
    const decision = spans.decisions[span] ?? 0;
    const from = spans.fromUs[span] ?? 0;
    if (from >= endUs) continue;
    if (stays.at(-1)?.row !== row) own = new Map();
    const key = decision < 0 ? decision : (data.index.valueCodes[decision] ?? 0);
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
