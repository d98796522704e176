import type { ColumnTable } from "arquero";
import { Temporal } from "temporal-polyfill";
import { type Diagnostic, withSeverity } from "../../core/diagnostic.js";
import { ArgumentError } from "../../core/errors.js";
import { US_PER_DAY } from "../../core/instant.js";
import { anything, type OptionRules } from "../../core/options.js";
import { showValue } from "../../core/show-value.js";
import { GrowingArray } from "../../tables/cells/growing-array.js";
import type { CellValue, RowTable } from "../../tables/column/row-table.js";
import type { HistoryData } from "../cell/history-data.js";
import { NONE } from "../log/change-log.js";
import { noEntryTime } from "../log/inserted-by.js";
import { specify } from "./define/specification.js";
import { changesPerFeature, type Question, type QuestionData, queryInBatches } from "./engine/query-in-batches.js";
import {
  changeAt,
  changeIdColumn,
  featureColumns,
  inserted,
  instantColumn,
  type ListedColumn,
  listedStatement,
  listedTable,
  nameColumn,
  recordedColumn,
  valueColumn,
} from "./rows/listed-columns.js";
import { insertedShape, type ListedRows, readInserted, readRows, rowsSelect } from "./rows/read-rows.js";
import { changeCtes } from "./sql/cte/change-ctes.js";
import { columnCtes, featureCte } from "./sql/cte/feature-ctes.js";
import { recordedUs } from "./sql/log-statements.js";
import { allColumns, type Scope, statement } from "./sql/statement-scope.js";

/** Options of `history.lateEntries()`. */
export interface LateEntriesOptions {
  /**
   * Minimum delay between making and recording a change: an ISO 8601 duration of weeks, days (of 24 hours) or less,
   * `"P7D"`. Default: `"P1D"`.
   */
  readonly moreThan?: string;
}

const lateEntriesRules: OptionRules<LateEntriesOptions> = { moreThan: anything };

/** A row of `history.lateEntries()`. */
export interface LateEntryRow {
  /** Id of the change. */
  readonly change_id: string;
  /** Id of the feature. */
  readonly id: number;
  /** Identifier of the feature that users see. */
  readonly visible_id: string;
  /** Column of the property. */
  readonly column: string;
  /** The new value. */
  readonly value: CellValue;
  /** When the change was made. */
  readonly created_at: Date;
  /** When the service received it. */
  readonly recorded_at: Date;
  /** The time between them, in days of 24 hours. */
  readonly late_by_days: number;
}

declare module "../history.js" {
  interface History<Rows extends ColumnTable, L> {
    /**
     * Returns the changes that were recorded long after they were made, in order of insertion: `change_id`, `id`,
     * `visible_id`, `column`, `value`, `created_at` (when it was made, by the clock of the editor's device),
     * `recorded_at` (when the service received it: the time in its id, a UUIDv7, or the `sequence` of `fromChanges()`),
     * `late_by_days` (of 24 hours).
     *
     * For edits superseded on arrival, use `lateEdits()`. Changes whose ids contain no time are left out and counted in
     * a diagnostic.
     *
     * @example
     * ```ts
     * history.lateEntries({ moreThan: "P7D" }).select("visible_id", "column", "created_at", "recorded_at")
     * ```
     * @throws ArgumentError if no id contains a time, and for `moreThan` that is not a duration
     */
    lateEntries(options?: LateEntriesOptions): RowTable<LateEntryRow>;
  }
}

export const lateEntriesSpecification = specify({
  summary: "Late entries: changes recorded long after they were made, by the time in their ids.",
  takes: [],
  options: lateEntriesRules,
  memory: (data, options: LateEntriesOptions = {}) => lateEntries(data, options),
  engine: lateEntriesQuestion,
});

/**
 * Changes that were recorded long after they were made, in order of insertion, and the number of changes without a
 * recording time.
 */
function lateEntries(data: HistoryData, { moreThan = DAY }: LateEntriesOptions) {
  const { log, columnOfKey } = data;
  const leastUs = lengthUs(moreThan);
  const late = new GrowingArray(Int32Array);
  let [all, untold] = [0, 0];
  let example = "";
  const columnOf = (change: number) => columnOfKey[log.keyCodes[change] as number] as number;
  const recordedOf = (change: number) => 1000 * (log.ids.timeMs(change) ?? Number.NaN);
  for (let change = log.initial; change < log.length; change += 1) {
    if (columnOf(change) === NONE) continue;
    all += 1;
    const recorded = recordedOf(change);
    if (Number.isNaN(recorded)) {
      if (untold === 0) example = log.ids.at(change);
      untold += 1;
    } else if (recorded - (log.timesUs[change] as number) > leastUs) late.push(change);
  }
  if (all > 0 && untold === all) throw noEntryTime(example);
  const rows = { length: late.length, ...changeAt(data, (row) => late.at(row)) };
  return { table: listedTable(data, entryColumns, rows), diagnostics: untoldDiagnostic(untold, all) };
}

const DAY = "P1D";

/** @throws ArgumentError for an invalid duration, and for months and years, whose length varies */
function lengthUs(moreThan: unknown): number {
  try {
    const length = Temporal.Duration.from(moreThan as string);
    const us = length.total({ unit: "microsecond", ...(length.weeks === 0 ? {} : { relativeTo: WEEKS_START }) });
    if (length.sign >= 0 && length.years === 0 && length.months === 0) return us;
  } catch {
    // Reported below.
  }
  throw new ArgumentError(`lateEntries(): invalid duration ${showValue(moreThan)} in \`moreThan\`.`, {
    hint: 'Use an ISO 8601 duration without months and years: { moreThan: "P7D" } or { moreThan: "PT12H" }.',
    facts: { option: "moreThan" },
  });
}

/** Any reference date works: the days of weeks have 24 hours. */
const WEEKS_START = Temporal.PlainDate.from("2024-01-01");

function untoldDiagnostic(untold: number, all: number): readonly Diagnostic[] {
  if (untold === 0) return [];
  return [
    withSeverity({
      code: "recording-time-unknown",
      message: `${untold} of ${all} changes ${untold === 1 ? "has" : "have"} an id without a time of recording. lateEntries() excludes such changes.`,
      count: untold,
    }),
  ];
}

const entryColumns: readonly ListedColumn<ListedRows<typeof insertedShape>>[] = [
  changeIdColumn,
  ...featureColumns,
  nameColumn,
  valueColumn("value", "v", "text"),
  instantColumn("created_at", "us"),
  recordedColumn,
  {
    name: "late_by_days",
    at: (rows) => (row) => (1000 * (rows.id.timeMs(row) as number) - rows.us(row)) / US_PER_DAY,
    sql: ({ double }) => `${double("recorded_us - us")} / ${US_PER_DAY}`,
  },
];

/** The question for changes that were recorded long after they were made. */
function lateEntriesQuestion(data: QuestionData, { moreThan = DAY }: LateEntriesOptions): Question<ColumnTable> {
  const leastUs = lengthUs(moreThan);
  const cellsPerFeature = changesPerFeature(data);
  let diagnostics: readonly Diagnostic[] = [];
  let counted: readonly [untold: number, all: number] | undefined;
  const from = `WHERE recorded_us - us > ${Math.floor(leastUs)} ORDER BY`;
  const rows = (scope: Scope) =>
    statement(recordedMembers(scope), `SELECT ${rowsSelect(scope.dialect, insertedShape)} FROM recorded ${from} id`);
  const stored = (scope: Scope) => {
    const members = [...recordedMembers(scope, ["visible_id"]), ...columnCtes(scope, "named")];
    return listedStatement(scope, members, entryColumns, `FROM recorded JOIN cols ON named = col ${from} change_id`);
  };
  // Counted once for all parts.
  const count = async (signal?: AbortSignal) => {
    counted ??= await countUntold(data, signal);
    return counted;
  };
  return {
    table: async (signal) => {
      diagnostics = untoldDiagnostic(...(await count(signal)));
      const answers = queryInBatches(data, cellsPerFeature, rows, signal);
      return listedTable(data, entryColumns, await readInserted(data, insertedShape, answers));
    },
    statement: async (scope, _, signal) => {
      await count(signal);
      return stored(scope);
    },
    sortedParts: {
      cellsPerFeature,
      statement: async (scope) => {
        await count();
        return { sql: stored(scope), afterwards: [inserted] };
      },
    },
    cellsPerFeature,
    diagnostics: () => diagnostics,
  };
}

/**
 * The number of changes without a recording time, and the number of all changes.
 *
 * @throws ArgumentError if no change has a recording time
 */
async function countUntold(data: QuestionData, signal: AbortSignal | undefined): Promise<[number, number]> {
  let [untold, all] = [0, 0];
  let example: string | undefined;
  if (data.columns.length === 0) return [untold, all];
  const shape = { n: "number", untold: "number", example: "text" } as const;
  const rows = await readRows(data, shape, queryInBatches(data, changesPerFeature(data), untoldRows, signal));
  for (let row = 0; row < rows.length; row += 1) {
    all += rows.n(row);
    untold += rows.untold(row);
    const id = rows.example(row);
    if (id !== null && (example === undefined || id < example)) example = id;
  }
  if (all > 0 && untold === all) throw noEntryTime(String(example));
  return [untold, all];
}

/** The number of changes, the number of those without a recording time, and the first of these. */
function untoldRows(scope: Scope): string {
  const { double } = scope.dialect;
  const untold = "CASE WHEN recorded_us IS NULL THEN id END";
  return statement(
    recordedMembers(scope),
    `SELECT ${double("count(*)")} AS n, ${double(`count(${untold})`)} AS untold, min(${untold}) AS example FROM recorded`,
  );
}

/** `recorded`: the changes of all columns, with `recorded_us`, null if the id contains no time. */
function recordedMembers(scope: Scope, carried: readonly string[] = []): string[] {
  const along = carried.map((name) => `, feat.${name}`).join("");
  return [
    featureCte(
      scope,
      carried.map((name) => ({ name, sql: `f.${name}` })),
    ),
    ...changeCtes(scope, allColumns(scope)),
    `recorded AS (SELECT changes.f AS f${along}, id, us, col, v, ${recordedUs(scope.dialect, "id")} AS recorded_us
  FROM changes JOIN feat ON feat.f = changes.f WHERE us IS NOT NULL)`,
  ];
}
