import type { ColumnTable } from "arquero";
import type { Diagnostic } from "../../core/diagnostic.js";
import { freeName } from "../../core/free-name.js";
import type { PropertyColumn } from "../../layer/property-columns.js";
import type { CellValue, RowTable } from "../../tables/column/row-table.js";
import { foldCase } from "../../tables/sql/sql-names.js";
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
import {
  addedNames,
  type PanelOptions,
  type PanelPlan,
  panelColumns,
  panelPlan,
  panelRules,
  panelWidth,
} from "./plan/panel-plan.js";
import { declaredKinds, loggedValues } from "./plan/value-kinds.js";
import { ColumnChanges, NO_CHANGES, PanelRows, panelColumn, panelTable, steppedColumn } from "./rows/panel-table.js";
import { castValue, UNKNOWN_MARK, type ValueKind } from "./sql/cell-values.js";
import { changeCtes, changeOrder } from "./sql/cte/change-ctes.js";
import { DatePlaces } from "./sql/cte/date-places.js";
import { appearingCte, dateCtes, type StoredDate, shareOf, weightOf } from "./sql/cte/delta-ctes.js";
import { presenceCtes, presentValues } from "./sql/cte/feature-ctes.js";
import { visibleId } from "./sql/cte/interval-ctes.js";
import type { Dialect } from "./sql/dialect/dialect.js";
import { type PartStatement, type Scope, statement } from "./sql/statement-scope.js";
import { storedNames } from "./sql/stored-names.js";

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

/** Parameters of a panel. */
interface PanelQuery {
  readonly columns: readonly number[];
  /** Ascending distinct dates, at least one. */
  readonly datesUs: readonly number[];
}

/**
 * The new contents of cells: `f`, `col`, `place` (index of the first date that sees it), `v`. The index after the last
 * date means that no date sees it.
 */
function panelRows(scope: Scope, query: PanelQuery): string {
  const { double } = scope.dialect;
  return statement(
    lastMembers(scope, query),
    `SELECT ${double("f")} AS feature, col, ${double("place")} AS first_date, v FROM lasts`,
  );
}

/**
 * The self-contained statement for the values at many dates.
 *
 * @param isPart whether to add a column that sorts the rows of several statements
 */
function panelStatement(
  scope: Scope,
  kinds: readonly (ValueKind | undefined)[],
  query: PanelQuery & { readonly plan: PanelPlan; readonly dates: readonly StoredDate[] },
  isPart = false,
): PartStatement {
  const { dialect } = scope;
  const { columns, datesUs, dates, plan } = query;
  const dateIndexes = new DatePlaces(dialect, datesUs);
  const names = storedNames(dialect, [...panelColumns, ...addedNames(plan)], scope.columns, plan.chosen);
  const now = presentValues(scope, columns, "now");
  const along = now.carried.map(({ name }) => `, ${name}`).join("");
  const byPlace = "PARTITION BY f, col ORDER BY place";
  const values = columns.map((column, index) => `, max(CASE WHEN col = ${column} THEN v END) AS v${index}`).join("");
  const valueOfCell = (column: number) => {
    const index = columns.indexOf(column);
    return `coalesce(v${index}, now${index})`;
  };
  const cells = plan.chosen.map(
    (column, index) => `${castValue(dialect, kinds[column], valueOfCell(column))} AS ${names.properties[index]}`,
  );
  const [date, id, shownId, ...added] = names.ownColumns;
  cells.push(...amounts(dialect, plan, valueOfCell).map((sql, index) => `${sql} AS ${added[index]}`));
  const sortedBy = freeName("asked", new Set(scope.columns.map((column) => foldCase(column.name))));
  const dateColumn = isPart ? [`asked AS ${dialect.identifier(sortedBy)}`] : [];
  const sql = statement(
    [
      ...now.members,
      ...presenceCtes(scope, [visibleId, ...now.carried], now.joins),
      ...lastMembers(scope, query),
      ...dateCtes(dialect, dates),
      `nexts AS (SELECT f, col, place, v, lead(place) OVER (${byPlace}) AS until, row_number() OVER (${byPlace}) AS n FROM lasts)`,
      // Side 0 is the content of a cell before its first change.
      `intervals AS (SELECT f, col, CASE WHEN side = 1 THEN v ELSE '${UNKNOWN_MARK}' END AS v, CASE WHEN side = 1 THEN place ELSE 0 END AS place,
    CASE WHEN side = 1 THEN coalesce(until, ${datesUs.length}) ELSE place END AS until
  FROM nexts CROSS JOIN ${dialect.numbers("sides", "side", [0, 1])} WHERE side = 1 OR n = 1)`,
      `logged AS (SELECT f AS changed, asked AS changed_date${values}
  FROM intervals JOIN dates ON date_place >= place AND date_place < until GROUP BY f, asked)`,
      appearingCte(scope, dateIndexes, ["f", "visible_id", ...now.carried.map(({ name }) => name)]),
      `cells AS (SELECT f, visible_id${along}, asked, date_text FROM appearing JOIN dates ON date_place >= appears${scope.hasGone ? " AND date_place < leaves" : ""})`,
    ],
    `SELECT ${[`date_text AS ${date}`, `f AS ${id}`, `visible_id AS ${shownId}`, ...cells, ...dateColumn].join(",\n  ")}
FROM cells LEFT JOIN logged ON changed = f AND changed_date = asked
ORDER BY cells.asked, cells.f`,
  );
  const name = dialect.identifier(sortedBy);
  return { sql, afterwards: [(table) => `SELECT * EXCLUDE (${name}) FROM ${table} ORDER BY ${name}, ${id}`] };
}

/** The columns that weights and credits add. */
function amounts(
  dialect: Dialect,
  { weights, staged }: PanelPlan,
  valueOfCell: (column: number) => string,
): readonly string[] {
  const number = weights ? weightOf(dialect, weights, valueOfCell(weights.column as number)) : "";
  const weight = `CASE WHEN ${number} >= 0 THEN ${number} END`;
  const share = staged ? shareOf(dialect, staged.credits, valueOfCell(staged.column)) : "";
  return [
    ...(weights ? [weight, dialect.text(weights.unit)] : []),
    ...(staged ? [weights ? `(${weight}) * ${share}` : share] : []),
  ];
}

/** `lasts`: for each cell and date, the last change that the date is the first to see. */
function lastMembers(scope: Scope, { columns, datesUs }: PanelQuery): string[] {
  const dateIndexes = new DatePlaces(scope.dialect, datesUs);
  return [
    ...changeCtes(scope, columns),
    ...dateIndexes.members(),
    `placed AS (SELECT f, col, id, us, v, ${dateIndexes.indexOf("us", "p")} AS place FROM changes${dateIndexes.joins("us", "p")})`,
    `followed AS (SELECT f, col, place, v, lead(place) OVER (PARTITION BY f, col ORDER BY ${changeOrder()}) AS next_place
  FROM placed)`,
    "lasts AS (SELECT f, col, place, v FROM followed WHERE next_place IS NULL OR next_place <> place)",
  ];
}
