import type { ColumnTable } from "arquero";
import type { CellValue, RowTable } from "../../tables/column/row-table.js";
import type { HistoryData } from "../cell/history-data.js";
import { causeId, NONE } from "../log/change-log.js";
import { validOrder } from "../log/valid-order.js";
import { specify } from "./define/specification.js";
import { changesPerFeature, type Question, type QuestionData, queryAll } from "./engine/query-in-batches.js";
import {
  type AnswerData,
  changeAt,
  changeIdColumn,
  featureColumns,
  instantColumn,
  type ListedColumn,
  listedStatement,
  listedTable,
  localDateColumn,
  nameColumn,
  recordedColumn,
  sameColumn,
  usColumn,
  valueColumn,
} from "./rows/listed-columns.js";
import { changeShape, insertedShape, type ListedRows, readRows, rowsSelect } from "./rows/read-rows.js";
import { changeCtes, changeOrder } from "./sql/cte/change-ctes.js";
import { columnCtes, featureCte } from "./sql/cte/feature-ctes.js";
import { localDate } from "./sql/local-date.js";
import { recordedUs } from "./sql/log-statements.js";
import { allColumns, type PartStatement, type Scope, statement } from "./sql/statement-scope.js";

declare module "../history.js" {
  interface History<Rows extends ColumnTable, L> {
    /**
     * Returns the log as a table, one row per change, in valid order: `change_id`, `seq` (rank of insertion, from 0),
     * `id`, `visible_id`, `column`, `property_key`, `value`, `previous`, `system`, `user_id`, `caused_by_change_id`,
     * `created_at`, `created_at_us`, `recorded_at`, `local_date` (the calendar date of `created_at` in the history's
     * time zone).
     *
     * `previous` is the value before, of the same feature and property key. `recorded_at` is when the service received
     * the change, to the millisecond: the time in its id, if the id is a UUIDv7, or the `sequence` of `fromChanges()`;
     * else null. `lateEntries()` lists changes recorded long after they were made.
     *
     * @example
     * ```ts
     * const edits = history.changes().filter((d) => d.column === "STATUS");
     * edits.select("visible_id", "created_at", "previous", "value").slice(0, 4)
     * ```
     */
    changes(): RowTable<ChangeRow>;
  }
}

export const changesSpecification = specify({
  summary: "The log, one row per change: value, previous value, user and time.",
  takes: [],
  options: {},
  memory: (data) => ({ table: changes(data) }),
  engine: changesQuestion,
});

/** The log of a history's columns, in valid order: by `created_at`, then by id. */
export function changes(data: HistoryData): RowTable<ChangeRow> {
  const { log, columnOfKey } = data;
  const columnOf = (change: number) => columnOfKey[log.keyCodes[change] as number] as number;
  const order = validOrder(log.timesUs).filter((change) => change >= log.initial && columnOf(change) !== NONE);
  const previous = previousChanges(data);
  const changeOf = (row: number) => order[row] as number;
  return logTable(data, {
    length: order.length,
    ...changeAt(data, changeOf),
    seq: (row) => changeOf(row) - log.initial,
    k: (row) => log.keys[log.keyCodes[changeOf(row)] as number] as string,
    previous: (row) => {
      const before = previous[changeOf(row)] as number;
      return before === NONE ? null : log.values[log.valueCodes[before] as number];
    },
    cause: (row) => causeId(log, changeOf(row)),
  });
}

/** A row of `history.changes()`. */
export interface ChangeRow {
  /** Id of the change. */
  readonly change_id: string;
  /** Rank of insertion, from 0. */
  readonly seq: number;
  /** Id of the feature. */
  readonly id: number;
  /** Identifier of the feature that users see. */
  readonly visible_id: string;
  /** Column of the property. */
  readonly column: string;
  /** Key of the property. */
  readonly property_key: string;
  /** The new value; null if it was cleared. */
  readonly value: CellValue;
  /** The previous value of the same feature and property. */
  readonly previous: CellValue;
  /** Whether the system made the change. */
  readonly system: boolean;
  /** User who made it; null for the system. */
  readonly user_id: number | null;
  /** Id of the change that caused it. */
  readonly caused_by_change_id: string | null;
  /** When it was made. */
  readonly created_at: Date;
  /** The same time in microseconds since 1970. */
  readonly created_at_us: number;
  /** When the service received it; null if its id has no time. */
  readonly recorded_at: Date | null;
  /** The calendar date of `created_at` in the time zone of the history: `2025-06-30`. */
  readonly local_date: string;
}

const logShape = {
  ...insertedShape,
  ...changeShape,
  seq: "number",
  k: "text",
  previous: "value",
  cause: "text",
} as const;

const logColumns: readonly ListedColumn<ListedRows<typeof logShape>>[] = [
  changeIdColumn,
  sameColumn("seq", "seq"),
  ...featureColumns,
  nameColumn,
  sameColumn("property_key", "k"),
  valueColumn("value", "v", "text"),
  valueColumn("previous", "previous", "text"),
  sameColumn("system", "is_system"),
  sameColumn("user_id", "user_id"),
  sameColumn("caused_by_change_id", "cause"),
  instantColumn("created_at", "us"),
  usColumn("created_at_us", "us"),
  recordedColumn,
  localDateColumn("us"),
];

function logTable(data: AnswerData, rows: ListedRows<typeof logShape>): RowTable<ChangeRow> {
  return listedTable(data, logColumns, rows) as RowTable<ChangeRow>;
}

/** Index of the previous change of the same feature and property key, in valid order, for each change. */
function previousChanges({ log, index }: HistoryData): Int32Array {
  const previous = new Int32Array(log.length).fill(NONE);
  const lastOfKey = new Map<number, number>();
  for (let cell = 0; cell + 1 < index.offsets.length; cell += 1) {
    lastOfKey.clear();
    for (let position = index.start(cell); position < index.end(cell); position += 1) {
      const change = index.order[position] as number;
      const key = log.keyCodes[change] as number;
      previous[change] = lastOfKey.get(key) ?? NONE;
      lastOfKey.set(key, change);
    }
  }
  return previous;
}

/** The log of the columns, in valid order. */
export function changesQuestion(data: QuestionData): Question<ColumnTable> {
  const rows = (scope: Scope) =>
    statement(
      loggedMembers(scope),
      `SELECT ${rowsSelect(scope.dialect, logShape)} FROM logged ORDER BY ${changeOrder()}`,
    );
  return {
    table: async (signal) => logTable(data, await readRows(data, logShape, queryAll(data, rows, signal))),
    statement: (scope) =>
      listedStatement(
        scope,
        [...loggedMembers(scope, ["visible_id"]), ...datedMembers(scope, data, "logged JOIN")],
        logColumns,
        `FROM dated ORDER BY ${changeOrder(["us", "change_id"])}`,
      ),
    sortedParts: { cellsPerFeature: changesPerFeature(data), statement: (scope) => logPart(scope, data) },
    namesPersons: true,
  };
}

/** The same for some features. Ranks in the log are computed once all parts are there. */
function logPart(scope: Scope, data: QuestionData): PartStatement {
  const columns = logColumns.filter(({ name }) => name !== "seq");
  const inOrder = changeOrder(["created_at_us", "change_id"]);
  return {
    sql: listedStatement(
      scope,
      [...rankedMembers(scope, ["visible_id"]), ...datedMembers(scope, data, "ranked LEFT JOIN")],
      [...columns, { name: "is_asked", sql: () => "named IS NOT NULL" }],
      "FROM dated",
    ),
    afterwards: [
      (table) => `SELECT *, row_number() OVER () - 1 AS seq FROM (FROM ${table} ORDER BY change_id)`,
      (table) =>
        `SELECT change_id, seq, * EXCLUDE (change_id, seq, is_asked) FROM ${table} WHERE is_asked ORDER BY ${inOrder}`,
    ],
  };
}

/** `dated`: changes with the names of their columns, and times as they are stored. */
function datedMembers(scope: Scope, data: QuestionData, from: string): string[] {
  const times = `${recordedUs(scope.dialect, "id")} AS recorded_us, ${localDate(scope.dialect, "us", data)} AS local_date`;
  return [...columnCtes(scope, "named"), `dated AS (SELECT *, ${times} FROM ${from} cols ON named = col)`];
}

/** `logged`: the changes of the scope's columns, which are ranked among those of all properties. */
function loggedMembers(scope: Scope, carried: readonly string[] = []): string[] {
  return [
    ...rankedMembers(scope, carried),
    "numbered AS (SELECT ranked.*, row_number() OVER (ORDER BY id) - 1 AS seq FROM ranked)",
    "logged AS (SELECT * FROM numbered WHERE col IS NOT NULL)",
  ];
}

/**
 * `ranked`: the changes of all properties with the previous values; `col` is null for columns that are not requested.
 */
function rankedMembers(scope: Scope, carried: readonly string[]): string[] {
  const along = carried.map((name) => `, ${name}`).join("");
  const extra = [
    "c.property_key AS k",
    "c.user_id AS user_id",
    `c.${scope.dialect.identifier("system")} AS is_system`,
    "c.caused_by_change_id AS cause",
  ];
  return [
    featureCte(
      scope,
      carried.map((name) => ({ name, sql: `f.${name}` })),
    ),
    ...changeCtes(scope, allColumns(scope), { extra, others: true }),
    `ranked AS (SELECT feat.f${along}, id, col, k, v, us, is_system, user_id, cause,
    lag(v) OVER (PARTITION BY feat.f, k ORDER BY ${changeOrder()}) AS previous
  FROM changes JOIN feat ON feat.f = changes.f WHERE us IS NOT NULL)`,
  ];
}
