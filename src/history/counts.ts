import type { ColumnTable } from "arquero";
import { toTable } from "../columns/table.js";
import type { CellState } from "./cell-state.js";
import { chooseColumn } from "./choose-columns.js";
import { compareValues } from "./compare-values.js";
import { type Grid, resolveGrid } from "./date-grid.js";
import { DateLocator } from "./date-locator.js";
import { DateTally } from "./date-tally.js";
import { groupColumn } from "./group-column.js";
import { type GroupedStretches, groupedStretches } from "./grouped-stretches.js";
import type { HistoryData } from "./history-data.js";
import { type Outcome, Outcomes } from "./outcomes.js";
import { PairCodes } from "./pair-codes.js";
import type { TimePoint } from "./valid-time.js";

/** Options of `history.counts()` and `history.totals()`. */
export interface GroupOptions {
  /** A base field or a property to group by, taken as of the same date. */
  readonly by?: string;
}

const ownColumns = ["date", "state", "value", "count"];

/** How many of the features present at each date say what, one row where there are any. */
export function counts(data: HistoryData, name: string, grid: Grid, { by }: GroupOptions = {}): ColumnTable {
  const column = chooseColumn(data.names, name);
  const { dates, sortedUs, rank } = resolveGrid(grid, data.timeZone);
  const stretches = groupedStretches(data, column, by, new DateLocator(sortedUs));
  const { kinds, countAt } = tallyKinds(data, column, stretches, dates.length);
  const rows: { readonly kind: Kind; readonly date: TimePoint; readonly count: number }[] = [];
  dates.forEach((date, asked) => {
    for (const kind of kinds) {
      const count = countAt(kind.code, rank[asked] ?? 0);
      if (count > 0) rows.push({ kind, date, count });
    }
  });
  return toTable([
    ["date", rows.map(({ date }) => date)],
    ...groupColumn(by, ownColumns, rows, ({ kind }) => kind.group),
    ["state", rows.map(({ kind }) => kind.state)],
    ["value", rows.map(({ kind }) => kind.value)],
    ["count", rows.map(({ count }) => count)],
  ]);
}

interface Kind extends Outcome {
  readonly code: number;
  readonly group: unknown;
}

/** What features say at the dates, group by group, and how many do. */
function tallyKinds(data: HistoryData, column: number, stretches: GroupedStretches, dateCount: number) {
  const outcomes = new Outcomes(data, column);
  const codes = new PairCodes();
  const tally = new DateTally(dateCount);
  for (let i = 0; i < stretches.length; i += 1) {
    const outcome = outcomes.code(stretches.rows[i] ?? 0, stretches.cells[i] ?? 0);
    const kind = codes.code(stretches.groups[i] ?? 0, outcome);
    tally.add(kind, stretches.from[i] ?? 0, stretches.to[i] ?? 0);
  }
  const kinds = codes.pairs.flatMap(([group, outcome], code): Kind[] => {
    const entry = outcomes.entries[outcome];
    return entry ? [{ ...entry, code, group: stretches.values[group] }] : [];
  });
  return { kinds: kinds.sort(compareKinds), countAt: tally.sum() };
}

const stateOrder: readonly CellState[] = ["logged", "cleared", "unchanged", "unknown"];

function compareKinds(a: Kind, b: Kind): number {
  return (
    compareValues(a.group, b.group) ||
    stateOrder.indexOf(a.state) - stateOrder.indexOf(b.state) ||
    compareValues(a.value, b.value)
  );
}
