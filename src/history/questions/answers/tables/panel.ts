import type { ColumnTable } from "arquero";
import { GrowingArray } from "../../../../tables/cells/growing-array.js";
import { datesBeyondReading } from "../../../cell/beyond-reading.js";
import { chooseColumns } from "../../../columns/choose-columns.js";
import { CURRENT, NULL, PanelRows, steppedColumn } from "../../../grid/panel-column.js";
import type { Timelines } from "../../../grid/timelines.js";
import { codeArray } from "../../../log/change-log.js";
import { type PanelOptions, panelTable } from "../../../tables/panel.js";
import { type DateGrid, type Grid, resolveGrid } from "../../../time/date-grid.js";
import { JsonValues } from "../../answer-rows.js";
import { askInParts, type Question, type QuestionData } from "../../ask.js";
import { type AskedDates, askedDates } from "../../dated-question.js";
import { presenceOf } from "../../log-survey.js";
import { type PanelQuery, panelRows, panelTable as panelStatement } from "../../sql/tables/panel.js";
import { declaredKinds } from "../../value-kinds.js";

/** Values at many dates. */
export function panel(data: QuestionData, grid: Grid, options: PanelOptions): Question<ColumnTable> {
  const dates = resolveGrid(grid, data.timeZone);
  const asked = askedDates(dates);
  const query = { columns: chooseColumns(data.names, options.columns), datesUs: asked.datesUs };
  const stored = { ...query, dates: asked.dates };
  const cells = query.columns.length * asked.datesUs.length;
  return {
    table: (signal) => table(data, query, dates, asked, signal),
    statement: async (scope, kinds) =>
      panelStatement(scope, declaredKinds(data, await kinds(query.columns)), stored).sql,
    sortedParts: {
      cellsPerFeature: cells,
      statement: async (scope, kinds) =>
        panelStatement(scope, declaredKinds(data, await kinds(query.columns)), stored, true),
    },
    cellsPerFeature: cells,
    findings: () => datesBeyondReading(data, dates),
  };
}

async function table(
  data: QuestionData,
  query: PanelQuery,
  dates: DateGrid,
  asked: AskedDates,
  signal: AbortSignal | undefined,
): Promise<ColumnTable> {
  const present = await presenceOf(data, signal);
  const changes = new Map(query.columns.map((column) => [column, new ColumnChanges()]));
  if (changes.size > 0 && !asked.isEmpty) {
    for await (const { rowCount, columns } of askInParts(
      data,
      changes.size * 4,
      (scope) => panelRows(scope, query),
      signal,
    )) {
      const [features, cols, places, values] = columns;
      for (let index = 0; index < rowCount; index += 1) {
        const row = data.rowOf.get(Number(features?.[index]));
        if (row === undefined) continue;
        changes.get(Number(cols?.[index]))?.take(row, asked.sortedPlace(Number(places?.[index])), values?.[index]);
      }
    }
  }
  const rows = new PanelRows(present, dates);
  return panelTable(data, dates, rows, query.columns, (column) => {
    const { timelines, values } = changes.get(column)?.done(data.features.count, dates.sortedUs.length) ?? NOTHING;
    return steppedColumn(timelines, values, data.columns[column]?.values, rows);
  });
}

interface ColumnTimelines {
  readonly timelines: Timelines;
  /** By code, as `steppedColumn()` has them. */
  readonly values: readonly unknown[];
}

const NOTHING: ColumnTimelines = {
  timelines: {
    before: new Int32Array(),
    count: 0,
    seen: new Int32Array(),
    rows: new Int32Array(),
    codes: new Uint8Array(),
  },
  values: [],
};

/** What the cells of a column change to, and at which dates. */
class ColumnChanges {
  readonly #rows = new GrowingArray(Int32Array);
  readonly #places = new GrowingArray(Int32Array);
  readonly #codes = new GrowingArray(Int32Array);
  readonly #values = new JsonValues();

  take(row: number, place: number, value: unknown): void {
    this.#rows.push(row);
    this.#places.push(place);
    this.#codes.push(this.#values.code(value));
  }

  done(rowCount: number, dateCount: number): ColumnTimelines {
    // Null has the code of what is not known, and that of the current value stands before those of values.
    const codeOf = (code: number) => (code === 0 ? NULL : code + CURRENT);
    const values = [null, undefined, ...this.#values.values.slice(1)];
    const [rows, places, codes] = [this.#rows.filled(), this.#places.filled(), this.#codes.filled()];
    const before = new Int32Array(rowCount).fill(CURRENT);
    const seen = new Int32Array(dateCount);
    for (let entry = 0; entry < rows.length; entry += 1) {
      before[rows[entry] as number] = NULL;
      const place = places[entry] ?? dateCount;
      if (place < dateCount) seen[place] = (seen[place] as number) + 1;
    }
    for (let date = 1; date < dateCount; date += 1) seen[date] = (seen[date] as number) + (seen[date - 1] as number);
    const next = Int32Array.from(seen, (_, date) => seen[date - 1] ?? 0);
    const length = seen.at(-1) ?? 0;
    const sorted = { rows: new Int32Array(length), codes: codeArray(values.length, length) };
    for (let entry = 0; entry < rows.length; entry += 1) {
      const place = places[entry] ?? dateCount;
      if (place >= dateCount) continue;
      const target = next[place] as number;
      next[place] = target + 1;
      sorted.rows[target] = rows[entry] as number;
      sorted.codes[target] = codeOf(codes[entry] as number);
    }
    return { timelines: { before, count: values.length, seen, ...sorted }, values };
  }
}
