import type { ColumnTable } from "arquero";
import { toTable } from "../columns/table.js";
import { cellValue, UNKNOWN } from "./cell-state.js";
import { chooseColumn } from "./choose-columns.js";
import { compareValues } from "./compare-values.js";
import type { GroupOptions } from "./counts.js";
import { type Grid, resolveGrid } from "./date-grid.js";
import { DateLocator } from "./date-locator.js";
import { DateSums } from "./date-sums.js";
import { DateTally } from "./date-tally.js";
import { groupColumn } from "./group-column.js";
import { groupedStretches } from "./grouped-stretches.js";
import type { HistoryData } from "./history-data.js";

const ownColumns = ["date", "sum", "count", "unknown"];

/** Sum of the numbers that the features present at each date hold; a row a date, and with `by` a group present then. */
export function totals(data: HistoryData, name: string, grid: Grid, { by }: GroupOptions = {}): ColumnTable {
  const column = chooseColumn(data.names, name);
  const { dates, sortedUs, rank } = resolveGrid(grid, data.timeZone);
  const stretches = groupedStretches(data, column, by, new DateLocator(sortedUs));
  const sums = new DateSums(stretches.values.length, dates.length);
  const present = new DateTally(dates.length);
  const counted = new DateTally(dates.length);
  const unknown = new DateTally(dates.length);
  for (let i = 0; i < stretches.length; i += 1) {
    const [group, from, to] = [stretches.groups[i] ?? 0, stretches.from[i] ?? 0, stretches.to[i] ?? 0];
    const cell = stretches.cells[i] ?? 0;
    present.add(group, from, to);
    if (cell === UNKNOWN) unknown.add(group, from, to);
    const value = cellValue(data, stretches.rows[i] ?? 0, column, cell);
    if (typeof value !== "number") continue;
    counted.add(group, from, to);
    sums.add(group, from, to, value);
  }
  const at = { present: present.sum(), sum: sums.sum(), count: counted.sum(), unknown: unknown.sum() };
  const ordered = stretches.values
    .map((group, code) => ({ group, code }))
    .sort((a, b) => compareValues(a.group, b.group));
  const rows = dates.flatMap((date, asked) => {
    const day = rank[asked] ?? 0;
    return ordered
      .filter(({ code }) => by === undefined || at.present(code, day) > 0)
      .map(({ group, code }) => ({ date, group, code, day }));
  });
  return toTable([
    ["date", rows.map(({ date }) => date)],
    ...groupColumn(by, ownColumns, rows, ({ group }) => group),
    ["sum", rows.map(({ code, day }) => at.sum(code, day))],
    ["count", rows.map(({ code, day }) => at.count(code, day))],
    ["unknown", rows.map(({ code, day }) => at.unknown(code, day))],
  ]);
}
