import type { ColumnTable } from "arquero";
import type { Diagnostic } from "../../core/diagnostic.js";
import type { PropertyColumn } from "../../layer/property-columns.js";
import type { CellValue, RowTable } from "../../tables/column/row-table.js";
import { datesAfterRead, type FoundTable } from "../cell/censoring-time.js";
import type { HistoryData } from "../cell/history-data.js";
import { requireStages } from "../columns/credits.js";
import { readWeights, storedWeights } from "../columns/weights.js";
import { type DateGrid, type Dates, resolveGrid } from "../time/date-grid.js";
import { specify } from "./define/specification.js";
import { presenceOf } from "./engine/log-survey.js";
import {
  type AskKinds,
  type Question,
  type QuestionData,
  queryInBatches,
  Remembered,
  requireColumns,
} from "./engine/query-in-batches.js";
import { type AskedDates, askedDates, askWeightless } from "./plan/dated-plan.js";
import { type PanelOptions, type PanelPlan, panelPlan, panelRules, panelWidth } from "./plan/panel-plan.js";
import { declaredKinds, loggedValues } from "./plan/value-kinds.js";
import { ColumnChanges, NO_CHANGES, PanelRows, panelColumn, panelTable, steppedColumn } from "./rows/panel-table.js";
import { type PanelQuery, panelRows, panelStatement } from "./sql/panel-statement.js";
import type { Scope } from "./sql/statement-scope.js";

/** A row of `history.panel()`. */
export interface PanelRow {
  /** The date as requested. */
  readonly date: CellValue;
  /** Id of the feature. */
  readonly id: number;
  /** Identifier of the feature that users see. */
  readonly visible_id: string;
  /** With `weight`, the weight of the feature as of the date; null if it has none. */
  readonly weight?: CellValue;
  /** With `weight`, its unit. */
  readonly unit?: CellValue;
  /** With `credits`, the share that the stage of the feature earns. */
  readonly earned?: CellValue;
  /** The properties, by name. */
  readonly [column: string]: CellValue;
}

declare module "../history.js" {
  interface History<Rows extends ColumnTable, L> {
    /**
     * Returns the values at many dates, one row for each date and each feature that existed then: `date` (as
     * requested), `id`, `visible_id`, and the properties. A property with one of these names is called
     * `properties.<name>`.
     *
     * With `weight`, adds `weight` (as of the date; null for a feature without one) and `unit`. With `credits`, adds
     * `earned`, the share that the value of the column `stage` earns, multiplied by the weight if set.
     *
     * @param grid dates, as a list or `{ dates }`, or `{ from, until, every }` with `day`, `week`, `month`, `quarter`,
     * `year` or an ISO duration; steps are counted from `from`, and `to` is included if a step falls on it
     * @example
     * ```ts
     * history.panel({ from: "2026-01-31", until: "2026-06-30", every: "month" }, { columns: ["STATUS", "PRIORITY"] })
     * ```
     * @throws ArgumentError also for an invalid, zero or negative step
     */
    panel(grid: Dates, options?: PanelOptions): RowTable<PanelRow>;
  }
}

export const panelSpecification = specify({
  summary: "Values at many dates, one row per date and feature that existed then.",
  takes: ["dates"],
  options: panelRules,
  hasFeatures: true,
  memory: panel,
  engine: panelQuestion,
});

/** One row for each date and feature that existed then, with diagnostics for dates after the log was read. */
export function panel(data: HistoryData, grid: Dates, options: PanelOptions = {}): FoundTable {
  const dates = resolveGrid(grid, data.timeZone);
  const plan = panelPlan(data, options, readWeights(data, options));
  const { staged } = plan;
  const uncredited = staged
    ? requireStages(data.columns[staged.column] as PropertyColumn, staged.credits, data.everLogged(staged.column))
    : [];
  const rows = new PanelRows(data, dates, panelWidth(plan));
  const columnOf = (column: number) => panelColumn(data, column, dates.sortedUs, rows);
  const { table, diagnostics } = panelTable(data, dates, rows, plan, columnOf);
  return { table, diagnostics: [...datesAfterRead(data, dates), ...diagnostics, ...uncredited] };
}

/** The question for the values at many dates. */
export function panelQuestion(data: QuestionData, grid: Dates, options: PanelOptions): Question<ColumnTable> {
  const dates = resolveGrid(grid, data.timeZone);
  const dated = askedDates(dates);
  const plan = panelPlan(data, options, storedWeights(data, "panel", options));
  const { chosen, weights, staged } = plan;
  const needed = new Set([...chosen, weights?.column ?? [], staged?.column ?? []].flat());
  const query = { columns: [...needed].sort((a, b) => a - b), datesUs: dated.datesUs };
  const stored = { ...query, plan, dates: dated.dates };
  const cells = query.columns.length * dated.datesUs.length;
  let tableDiagnostics: readonly Diagnostic[] = [];
  const requireStored = async (signal: AbortSignal | undefined) => {
    if (!staged) return [];
    const logged = await loggedValues(data, staged.column, signal);
    return requireStages(data.columns[staged.column] as PropertyColumn, staged.credits, logged);
  };
  // The statements of all parts belong to one question.
  const refused = new Remembered<readonly Diagnostic[]>();
  const refuseStored = (signal: AbortSignal | undefined) =>
    refused.get(async () => [...(await requireStored(signal)), ...(await askWeightless(data, weights, dated, signal))]);
  const write = async (scope: Scope, kinds: AskKinds, isPart: boolean) =>
    panelStatement(scope, declaredKinds(data, await kinds(query.columns)), stored, isPart);
  return {
    table: async (signal) => {
      const uncredited = await requireStored(signal);
      const { table, diagnostics } = await storedPanel(data, query, { dates, dated, plan }, signal);
      tableDiagnostics = [...diagnostics, ...uncredited];
      return table;
    },
    statement: async (scope, kinds, signal) => {
      await refuseStored(signal);
      return (await write(scope, kinds, false)).sql;
    },
    sortedParts: {
      cellsPerFeature: cells,
      statement: async (scope, kinds) => {
        await refuseStored(undefined);
        return write(scope, kinds, true);
      },
    },
    cellsPerFeature: cells,
    diagnostics: () => [...datesAfterRead(data, dates), ...tableDiagnostics],
  };
}

async function storedPanel(
  data: QuestionData,
  query: PanelQuery,
  { dates, dated, plan }: { readonly dates: DateGrid; readonly dated: AskedDates; readonly plan: PanelPlan },
  signal: AbortSignal | undefined,
): Promise<FoundTable> {
  const present = await presenceOf(data, signal);
  const changes = new Map(query.columns.map((column) => [column, new ColumnChanges()]));
  if (changes.size > 0 && !dated.isEmpty) {
    for await (const { rowCount, columns } of queryInBatches(
      data,
      changes.size * 4,
      (scope) => panelRows(scope, query),
      signal,
    )) {
      const [features, cols, indexes, values] = requireColumns(columns, 4);
      for (let index = 0; index < rowCount; index += 1) {
        const row = data.rowOf.get(Number(features[index]));
        if (row === undefined) continue;
        changes.get(Number(cols[index]))?.take(row, dated.sortedPlace(Number(indexes[index])), values[index]);
      }
    }
  }
  const rows = new PanelRows(present, dates, panelWidth(plan));
  return panelTable(data, dates, rows, plan, (column) => {
    const { timelines, values } = changes.get(column)?.done(data.features.count, dates.sortedUs.length) ?? NO_CHANGES;
    return steppedColumn(timelines, values, data.columns[column]?.values, rows);
  });
}
