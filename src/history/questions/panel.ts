import type { ColumnTable } from "arquero";
import type { Diagnostic } from "../../core/diagnostic.js";
import { ArgumentError } from "../../core/errors.js";
import { type OptionRules, text, texts } from "../../core/options.js";
import type { PropertyColumn } from "../../layer/property-columns.js";
import { GrowingArray } from "../../tables/cells/growing-array.js";
import { type Column, computedColumn } from "../../tables/column/column.js";
import type { CellValue, RowTable } from "../../tables/column/row-table.js";
import { toTable } from "../../tables/column/table.js";
import { foldCase } from "../../tables/sql/sql-names.js";
import { datesAfterRead, type FoundTable } from "../cell/date-after-read.js";
import type { HistoryData } from "../cell/history-data.js";
import { declaredDates, declaredValues } from "../columns/block-column.js";
import { chooseColumn, chooseColumns, propertyNames } from "../columns/choose-columns.js";
import { type CreditOptions, creditRules, readCredits, requireStages, type StageCredits } from "../columns/credits.js";
import {
  isWeight,
  readWeights,
  storedWeights,
  Weightless,
  type WeightOptions,
  type Weights,
  weightRules,
} from "../columns/weights.js";
import { CURRENT, NULL, PanelRows, panelColumn, steppedColumn } from "../grid/panel-column.js";
import type { Timelines } from "../grid/timelines.js";
import { codeArray } from "../log/change-log.js";
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
import { type AskedDates, askedDates } from "./plan/dated-plan.js";
import { declaredKinds, loggedValues } from "./plan/value-kinds.js";
import { JsonValues } from "./rows/cell-decoder.js";
import { castValue, UNKNOWN_MARK, type ValueKind } from "./sql/cell-values.js";
import { changeOrder } from "./sql/change-order.js";
import { changeCtes } from "./sql/cte/change-ctes.js";
import { DatePlaces } from "./sql/cte/date-places.js";
import { appearingCte, dateCtes, type StoredDate } from "./sql/cte/delta-ctes.js";
import { presenceCtes, presentValues } from "./sql/cte/feature-ctes.js";
import { visibleId } from "./sql/cte/interval-ctes.js";
import { askWeightless, shareOf, weightOf } from "./sql/cte/weight-ctes.js";
import type { Dialect } from "./sql/dialect/dialect.js";
import { type PartStatement, type Scope, statement } from "./sql/statement-scope.js";
import { storedNames } from "./sql/stored-names.js";

/** Options of `history.panel()`. */
export interface PanelOptions extends WeightOptions, CreditOptions {
  /** Property columns to return. Default: all. */
  readonly columns?: readonly string[];
  /** Column of `credits`. Default: the only one of `columns`. */
  readonly stage?: string;
}

/** Rules for the options. */
export const panelRules: OptionRules<PanelOptions> = {
  columns: texts,
  stage: text,
  ...weightRules,
  ...creditRules,
};

const ownColumns = ["date", "id", "visible_id"];

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
     * history.panel({ from: "2025-01-01", until: "2025-12-31", every: "month" }, { columns: ["Status"] });
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
  const chosen = chooseColumns(data.names, options.columns);
  const weights = readWeights(data, options);
  const staged = stagedCredits(data, options);
  const uncredited = staged
    ? requireStages(data.columns[staged.column] as PropertyColumn, staged.credits, data.everLogged(staged.column))
    : [];
  const rows = new PanelRows(data, dates, widthOf({ chosen, weights, staged }));
  const columnOf = (column: number) => panelColumn(data, column, dates.sortedUs, rows);
  const { table, diagnostics } = panelTable(data, dates, rows, { chosen, weights, staged }, columnOf);
  return { table, diagnostics: [...datesAfterRead(data, dates), ...diagnostics, ...uncredited] };
}

/** The requested data of features. */
interface AskedPanel {
  /** Indices of the returned columns. */
  readonly chosen: readonly number[];
  readonly weights: Weights | undefined;
  readonly staged: StagedCredits | undefined;
}

/** Credits, and the column whose values earn them. */
interface StagedCredits {
  readonly column: number;
  readonly credits: StageCredits;
}

/** @throws ArgumentError if the column of the credits is ambiguous, and for a stage without credits */
function stagedCredits(
  { names }: Pick<HistoryData, "names">,
  { credits, stage, columns }: PanelOptions,
): StagedCredits | undefined {
  const read = readCredits(credits);
  const name = stage ?? (columns?.length === 1 ? columns[0] : undefined);
  if (!read && stage === undefined) return undefined;
  if (read && name !== undefined) return { column: chooseColumn(names, name), credits: read };
  throw new ArgumentError(
    read ? "panel(): `credits` needs `stage`, the column of the stages." : "panel(): `stage` needs `credits`.",
    { hint: 'Pass both: { stage: "STATUS", credits: { "Piles": 0.3, "Done": 1 } }.', facts: { option: "stage" } },
  );
}

/** Number of columns computed per row; a weight takes the space of two columns of codes. */
function widthOf({ chosen, weights, staged }: AskedPanel): number {
  return Math.max(1, chosen.length + (weights ? 3 : 0) + (staged ? 1 : 0));
}

/** Names of the columns that weights and credits add. */
function addedNames({ weights, staged }: AskedPanel): readonly string[] {
  return [...(weights ? ["weight", "unit"] : []), ...(staged ? ["earned"] : [])];
}

/** The rows of a panel with the chosen property columns. */
function panelTable(
  { features, names, columns }: Pick<HistoryData, "features" | "names" | "columns">,
  { dates }: DateGrid,
  rows: PanelRows,
  asked: AskedPanel,
  columnOf: (column: number) => Column,
): FoundTable {
  const { chosen, weights, staged } = asked;
  const shown = propertyNames(names, [...ownColumns, ...addedNames(asked)]);
  const ids = rows.ofFeatures(features.base("id"));
  const weightless = new Weightless();
  const held = weights && (weights.column === undefined ? rows.ofFeatures(weights.values) : columnOf(weights.column));
  const weighed =
    weights &&
    Array.from({ length: rows.length }, (_, row) => {
      const weight = weights.weigh(held?.at(row));
      weightless.add(weight, ids.at(row));
      return isWeight(weight) ? weight : null;
    });
  const stages = staged && columnOf(staged.column);
  const earned = (row: number) => {
    const stage = stages?.at(row) ?? null;
    const amount = weighed ? (weighed[row] ?? null) : 1;
    return stage === null || amount === null ? null : amount * (staged?.credits.share(stage) ?? 0);
  };
  const table = toTable([
    ["date", declaredDates(dates, rows.ofDates(dates))],
    ...features.fields.leading.map((field) => [field, rows.ofFeatures(features.base(field))] as const),
    ...chosen.map((column) => [shown[column] as string, declaredValues(columns[column], columnOf(column))] as const),
    ...(weighed
      ? ([
          ["weight", weighed],
          ["unit", computedColumn(rows.length, () => weights?.unit)],
        ] as const)
      : []),
    ...(staged ? [["earned", computedColumn(rows.length, earned)] as const] : []),
  ]);
  return { table, diagnostics: weights ? weightless.diagnostics(weights) : [] };
}

/** The question for the values at many dates. */
export function panelQuestion(data: QuestionData, grid: Dates, options: PanelOptions): Question<ColumnTable> {
  const dates = resolveGrid(grid, data.timeZone);
  const dated = askedDates(dates);
  const chosen = chooseColumns(data.names, options.columns);
  const weights = storedWeights(data, "panel", options);
  const staged = stagedCredits(data, options);
  const asked: AskedPanel = { chosen, weights, staged };
  const needed = new Set([...chosen, weights?.column ?? [], staged?.column ?? []].flat());
  const query = { columns: [...needed].sort((a, b) => a - b), datesUs: dated.datesUs };
  const stored = { ...query, asked, dates: dated.dates };
  const cells = query.columns.length * dated.datesUs.length;
  let found: readonly Diagnostic[] = [];
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
      const { table, diagnostics } = await storedPanel(data, query, { dates, dated, asked }, signal);
      found = [...diagnostics, ...uncredited];
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
    diagnostics: () => [...datesAfterRead(data, dates), ...found],
  };
}

async function storedPanel(
  data: QuestionData,
  query: PanelQuery,
  { dates, dated, asked }: { readonly dates: DateGrid; readonly dated: AskedDates; readonly asked: AskedPanel },
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
      const [features, cols, places, values] = requireColumns(columns, 4);
      for (let index = 0; index < rowCount; index += 1) {
        const row = data.rowOf.get(Number(features[index]));
        if (row === undefined) continue;
        changes.get(Number(cols[index]))?.take(row, dated.sortedPlace(Number(places[index])), values[index]);
      }
    }
  }
  const rows = new PanelRows(present, dates, widthOf(asked));
  return panelTable(data, dates, rows, asked, (column) => {
    const { timelines, values } = changes.get(column)?.done(data.features.count, dates.sortedUs.length) ?? NOTHING;
    return steppedColumn(timelines, values, data.columns[column]?.values, rows);
  });
}

interface ColumnTimelines {
  readonly timelines: Timelines;
  /** By code, as in `steppedColumn()`. */
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

/** The new values of the cells of a column, and the dates from which they apply. */
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
    // Null has the code for unknown values; the code for the current value comes before those of values.
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
    const next = Int32Array.from(seen, (_, date) => (date === 0 ? 0 : (seen[date - 1] as number)));
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
  query: PanelQuery & { readonly asked: AskedPanel; readonly dates: readonly StoredDate[] },
  isPart = false,
): PartStatement {
  const { dialect } = scope;
  const { columns, datesUs, dates, asked } = query;
  const places = new DatePlaces(dialect, datesUs);
  const names = storedNames(dialect, [...ownColumns, ...addedNames(asked)], scope.columns, asked.chosen);
  const now = presentValues(scope, columns, "now");
  const along = now.carried.map(({ name }) => `, ${name}`).join("");
  const byPlace = "PARTITION BY f, col ORDER BY place";
  const picks = columns.map((column, place) => `, max(CASE WHEN col = ${column} THEN v END) AS v${place}`).join("");
  const said = (column: number) => {
    const place = columns.indexOf(column);
    return `coalesce(v${place}, now${place})`;
  };
  const shown = asked.chosen.map(
    (column, place) => `${castValue(dialect, kinds[column], said(column))} AS ${names.properties[place]}`,
  );
  const [date, id, shownId, ...added] = names.own;
  shown.push(...amounts(dialect, asked, said).map((sql, place) => `${sql} AS ${added[place]}`));
  const taken = scope.columns.map((column) => foldCase(column.name));
  const sortedBy = freeName("asked", taken);
  const place = isPart ? [`asked AS ${dialect.identifier(sortedBy)}`] : [];
  const sql = statement(
    [
      ...now.members,
      ...presenceCtes(scope, [visibleId, ...now.carried], now.joins),
      ...lastMembers(scope, query),
      ...dateCtes(dialect, dates),
      `nexts AS (SELECT f, col, place, v, lead(place) OVER (${byPlace}) AS until, row_number() OVER (${byPlace}) AS n FROM lasts)`,
      // Side 0 is the content of a cell before its first change.
      `stretches AS (SELECT f, col, CASE WHEN side = 1 THEN v ELSE '${UNKNOWN_MARK}' END AS v, CASE WHEN side = 1 THEN place ELSE 0 END AS place,
    CASE WHEN side = 1 THEN coalesce(until, ${datesUs.length}) ELSE place END AS until
  FROM nexts CROSS JOIN ${dialect.numbers("sides", "side", [0, 1])} WHERE side = 1 OR n = 1)`,
      `said AS (SELECT f AS changed, asked AS changed_date${picks}
  FROM stretches JOIN dates ON date_place >= place AND date_place < until GROUP BY f, asked)`,
      appearingCte(scope, places, ["f", "visible_id", ...now.carried.map(({ name }) => name)]),
      `cells AS (SELECT f, visible_id${along}, asked, date_text FROM appearing JOIN dates ON date_place >= appears${scope.hasGone ? " AND date_place < leaves" : ""})`,
    ],
    `SELECT ${[`date_text AS ${date}`, `f AS ${id}`, `visible_id AS ${shownId}`, ...shown, ...place].join(",\n  ")}
FROM cells LEFT JOIN said ON changed = f AND changed_date = asked
ORDER BY cells.asked, cells.f`,
  );
  const name = dialect.identifier(sortedBy);
  return { sql, afterwards: [(table) => `SELECT * EXCLUDE (${name}) FROM ${table} ORDER BY ${name}, ${id}`] };
}

/** The columns that weights and credits add. */
function amounts(
  dialect: Dialect,
  { weights, staged }: AskedPanel,
  said: (column: number) => string,
): readonly string[] {
  const number = weights ? weightOf(dialect, weights, said(weights.column as number)) : "";
  const weight = `CASE WHEN ${number} >= 0 THEN ${number} END`;
  const share = staged ? shareOf(dialect, staged.credits, said(staged.column)) : "";
  return [
    ...(weights ? [weight, dialect.text(weights.unit)] : []),
    ...(staged ? [weights ? `(${weight}) * ${share}` : share] : []),
  ];
}

function freeName(name: string, taken: readonly string[]): string {
  return taken.includes(name) ? freeName(`${name}_`, taken) : name;
}

/** `lasts`: for each cell and date, the last change that the date is the first to see. */
function lastMembers(scope: Scope, { columns, datesUs }: PanelQuery): string[] {
  const places = new DatePlaces(scope.dialect, datesUs);
  return [
    ...changeCtes(scope, columns),
    ...places.members(),
    `placed AS (SELECT f, col, id, us, v, ${places.place("us", "p")} AS place FROM changes${places.joins("us", "p")})`,
    `followed AS (SELECT f, col, place, v, lead(place) OVER (PARTITION BY f, col ORDER BY ${changeOrder()}) AS next_place
  FROM placed)`,
    "lasts AS (SELECT f, col, place, v FROM followed WHERE next_place IS NULL OR next_place <> place)",
  ];
}
