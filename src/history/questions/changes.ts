import type { ColumnTable } from "arquero";
import { dateOf } from "../../core/instant.js";
import { GrowingArray } from "../../tables/cells/growing-array.js";
import { computedColumn } from "../../tables/column/column.js";
import type { CellValue, RowTable } from "../../tables/column/row-table.js";
import { toTable } from "../../tables/column/table.js";
import { declareType } from "../../tables/types/declared-type.js";
import type { HistoryData } from "../cell/history-data.js";
import { causeId, NONE, type UserId } from "../log/change-log.js";
import { validOrder } from "../log/valid-order.js";
import { LocalClock } from "../time/local-clock.js";
import { changesPerFeature, GrowingUuids, JsonValues, shownUser } from "./answer-rows.js";
import { askAll, type Question, type QuestionData, requireColumns, rowOfFeature } from "./ask.js";
import { specify } from "./specification.js";
import { shownValue } from "./sql/cell-values.js";
import { changeOrder } from "./sql/change-order.js";
import { changeCtes } from "./sql/cte/change-ctes.js";
import { columnCtes, featureCte } from "./sql/cte/feature-ctes.js";
import { localDate } from "./sql/local-date.js";
import { recordedUs } from "./sql/log-statements.js";
import { type PartStatement, type Scope, statement } from "./sql/scope.js";

declare module "../history.js" {
  interface History<Rows extends ColumnTable, L> {
    /**
     * The log as a table, one row a change, in valid order: `change_id`, `seq` (rank of insertion, from 0), `id`,
     * `visible_id`, `column`, `property_key`, `value`, `previous`, `system`, `user_id`, `caused_by_change_id`,
     * `created_at`, `created_at_us`, `recorded_at`, `local_date` (the calendar date of `created_at` in the history's time
     * zone). `previous` is the value before, of the same feature and property key.
     * `recorded_at` is when the service learned of the change, to the millisecond: the time in its id, if that is a
     * UUIDv7, or what `sequence` of `fromChanges()` says; else null. What came in long after it was made
     * is `lateEntries()`.
     */
    changes(): RowTable<ChangeRow>;
  }
}

export const changesSpecification = specify({
  summary: "The log, one row a change: value, previous value, who and when.",
  takes: [],
  options: {},
  memory: (data) => ({ table: changes(data) }),
  engine: changesQuestion,
});

/** The log of a history's columns, in valid order: by `created_at`, then by id. */
export function changes(data: HistoryData): RowTable<ChangeRow> {
  const { log, columnOfKey } = data;
  const columnOf = (change: number) => columnOfKey[log.keyCodes[change] as number] ?? NONE;
  const order = validOrder(log.timesUs).filter((change) => change >= log.initial && columnOf(change) !== NONE);
  const previous = previousChanges(data);
  const shownValue = (change: number) => (change === NONE ? null : log.values[log.valueCodes[change] as number]);
  const of =
    <T>(get: (change: number) => T) =>
    (entry: number) =>
      get(order[entry] as number);
  return changesTable(data, {
    seq: log.initial === 0 ? order : order.map((change) => change - log.initial),
    changeId: of((change) => log.ids.at(change)),
    row: of((change) => log.rows[change] as number),
    column: of(columnOf),
    key: of((change) => log.keys[log.keyCodes[change] as number] as string),
    value: of(shownValue),
    previous: of((change) => shownValue(previous[change] ?? NONE)),
    isSystem: of((change) => log.system[change] === 1),
    user: of((change) => log.users[log.userCodes[change] as number] ?? null),
    cause: of((change) => causeId(log, change)),
    us: of((change) => log.timesUs[change] as number),
    recordedMs: of((change) => log.ids.timeMs(change)),
  });
}

/** Changes in valid order, by their place in it. */
interface ListedChanges {
  /** Ranks of insertion. */
  readonly seq: Int32Array;
  changeId(entry: number): string;
  row(entry: number): number;
  column(entry: number): number;
  key(entry: number): string;
  value(entry: number): unknown;
  /** The value before, of the same feature and property key. */
  previous(entry: number): unknown;
  isSystem(entry: number): boolean;
  user(entry: number): UserId | null;
  cause(entry: number): string | null;
  us(entry: number): number;
  /** When it was recorded; undefined where nobody knows. */
  recordedMs(entry: number): number | undefined;
}

/** A row of `history.changes()`. */
export interface ChangeRow {
  /** Id of the change. */
  readonly change_id: string;
  /** Rank of insertion, from 0. */
  readonly seq: number;
  /** Id of the feature. */
  readonly id: number;
  /** Its identifier for people. */
  readonly visible_id: string;
  /** Column of the property. */
  readonly column: string;
  /** Key of the property. */
  readonly property_key: string;
  /** The new value; null if it was cleared. */
  readonly value: CellValue;
  /** The value before, of the same feature and property. */
  readonly previous: CellValue;
  /** Whether the system made the change. */
  readonly system: boolean;
  /** Who made it; null for the system. */
  readonly user_id: number | null;
  /** The change that caused it. */
  readonly caused_by_change_id: string | null;
  /** When it was made. */
  readonly created_at: Date;
  /** The same in microseconds since 1970. */
  readonly created_at_us: number;
  /** When the service learned of it; null where its id does not tell. */
  readonly recorded_at: Date | null;
  /** The calendar date of `created_at` in the time zone of the history: `2025-06-30`. */
  readonly local_date: string;
}

/** A row for each change. */
function changesTable(
  { features, names, timeZone }: Pick<HistoryData, "features" | "names" | "timeZone">,
  listed: ListedChanges,
): RowTable<ChangeRow> {
  const each = <T>(get: (entry: number) => T) => computedColumn(listed.seq.length, get);
  const clock = new LocalClock(timeZone);
  const table = toTable([
    ["change_id", each((entry) => listed.changeId(entry))],
    ["seq", listed.seq],
    ["id", each((entry) => features.base("id").at(listed.row(entry)))],
    ["visible_id", each((entry) => features.base("visible_id").at(listed.row(entry)))],
    ["column", each((entry) => names[listed.column(entry)])],
    ["property_key", each((entry) => listed.key(entry))],
    ["value", each((entry) => listed.value(entry))],
    ["previous", each((entry) => listed.previous(entry))],
    ["system", each((entry) => listed.isSystem(entry))],
    ["user_id", each((entry) => listed.user(entry))],
    ["caused_by_change_id", each((entry) => listed.cause(entry))],
    ["created_at", each((entry) => dateOf(listed.us(entry)))],
    ["created_at_us", each((entry) => listed.us(entry))],
    [
      "recorded_at",
      each((entry) => {
        const ms = listed.recordedMs(entry);
        return ms === undefined ? null : new Date(ms);
      }),
    ],
    [
      "local_date",
      declareType(
        each((entry) => clock.date(listed.us(entry))),
        { of: "table", type: "date" },
      ),
    ],
  ]);
  return table as RowTable<ChangeRow>;
}

/** The change before each of the same feature and property key, in valid order. */
function previousChanges({ log, index }: HistoryData): Int32Array {
  const previous = new Int32Array(log.length).fill(NONE);
  const lastOfKey = new Map<number, number>();
  for (let cell = 0; cell + 1 < index.offsets.length; cell += 1) {
    lastOfKey.clear();
    for (let place = index.start(cell); place < index.end(cell); place += 1) {
      const change = index.order[place] as number;
      const key = log.keyCodes[change] as number;
      previous[change] = lastOfKey.get(key) ?? NONE;
      lastOfKey.set(key, change);
    }
  }
  return previous;
}

/** The log of the columns, in valid order. */
export function changesQuestion(data: QuestionData): Question<ColumnTable> {
  return {
    table: (signal) => table(data, signal),
    statement: (scope) => logStatement(scope, data),
    sortedParts: { cellsPerFeature: changesPerFeature(data), statement: (scope) => logPart(scope, data) },
    namesPersons: true,
  };
}

async function table(data: QuestionData, signal: AbortSignal | undefined): Promise<ColumnTable> {
  const log = new ListedLog(data);
  if (data.columns.length > 0) {
    for await (const { rowCount, columns } of askAll(data, logRows, signal)) {
      const listed = requireColumns(columns, 11);
      for (let index = 0; index < rowCount; index += 1) log.take(listed.map((column) => column[index]));
    }
  }
  return log.table();
}

const ints = () => new GrowingArray(Int32Array);
const floats = () => new GrowingArray(Float64Array);

class ListedLog {
  readonly #data: QuestionData;
  readonly #ids = new GrowingUuids();
  readonly #seq = ints();
  readonly #rows = ints();
  readonly #cols = ints();
  readonly #keys = new Map<string, number>();
  readonly #keyCodes = ints();
  readonly #values = new JsonValues();
  readonly #codes = ints();
  readonly #previous = ints();
  readonly #system = ints();
  /** NaN for nobody. */
  readonly #users = floats();
  /** By place: few changes have one. */
  readonly #causes = new Map<number, string>();
  readonly #timesUs = floats();

  constructor(data: QuestionData) {
    this.#data = data;
  }

  take([id, seq, feature, column, key, value, previous, system, user, cause, us]: readonly unknown[]): void {
    if (typeof cause === "string") this.#causes.set(this.#seq.length, cause);
    this.#ids.push(id);
    this.#seq.push(Number(seq));
    this.#rows.push(rowOfFeature(this.#data, feature));
    this.#cols.push(Number(column));
    this.#keyCodes.push(this.#keyCode(String(key)));
    this.#codes.push(this.#values.code(value));
    this.#previous.push(previous === null ? 0 : this.#values.code(previous));
    this.#system.push(Number(system));
    this.#users.push(user === null ? Number.NaN : Number(user));
    this.#timesUs.push(Number(us));
  }

  table(): ColumnTable {
    const [ids, rows, cols, keyCodes] = [
      this.#ids.filled(),
      this.#rows.filled(),
      this.#cols.filled(),
      this.#keyCodes.filled(),
    ];
    const [codes, previous, system] = [this.#codes.filled(), this.#previous.filled(), this.#system.filled()];
    const [users, timesUs, keys] = [this.#users.filled(), this.#timesUs.filled(), [...this.#keys.keys()]];
    const { values } = this.#values;
    return changesTable(this.#data, {
      seq: this.#seq.filled(),
      changeId: (entry) => ids.at(entry),
      row: (entry) => rows[entry] as number,
      column: (entry) => cols[entry] as number,
      key: (entry) => keys[keyCodes[entry] as number] as string,
      value: (entry) => values[codes[entry] as number],
      previous: (entry) => values[previous[entry] as number],
      isSystem: (entry) => system[entry] === 1,
      user: (entry) => shownUser(this.#data, users[entry] ?? Number.NaN),
      cause: (entry) => this.#causes.get(entry) ?? null,
      us: (entry) => timesUs[entry] as number,
      recordedMs: (entry) => ids.timeMs(entry),
    });
  }

  #keyCode(key: string): number {
    const code = this.#keys.get(key) ?? this.#keys.size;
    this.#keys.set(key, code);
    return code;
  }
}

/**
 * The log of a scope's columns in valid order: `id`, `seq`, `f`, `col`, `k`, `v`, `previous` (null where there is none),
 * `system`, `user_id`, `cause`, `us`.
 */
function logRows(scope: Scope): string {
  const { dialect } = scope;
  const { double } = dialect;
  return statement(
    loggedMembers(scope),
    `SELECT id, ${double("seq")} AS place, ${double("f")} AS feature, col, k, v, previous, is_system, ${double("user_id")} AS person,
  cause, ${double("us")} AS made
FROM logged ORDER BY ${changeOrder(dialect)}`,
  );
}

/** The log, complete by itself. */
function logStatement(scope: Scope, data: QuestionData): string {
  return statement(
    [...loggedMembers(scope, ["visible_id"]), ...columnCtes(scope, "named")],
    `SELECT ${[storedId, "seq", ...storedMembers(scope, data)].join(",\n  ")}
FROM logged JOIN cols ON named = col ORDER BY ${changeOrder(scope.dialect, ["us", "change_id"])}`,
  );
}

/** The same of some features: places in the log are counted when all are there. */
function logPart(scope: Scope, data: QuestionData): PartStatement {
  const members = [...rankedMembers(scope, ["visible_id"]), ...columnCtes(scope, "named")];
  const sql = statement(
    members,
    `SELECT ${[storedId, ...storedMembers(scope, data)].join(",\n  ")}, named IS NOT NULL AS is_asked
FROM ranked LEFT JOIN cols ON named = col`,
  );
  const inOrder = changeOrder(scope.dialect, ["created_at_us", "change_id"]);
  return {
    sql,
    afterwards: [
      (table) => `SELECT *, row_number() OVER () - 1 AS seq FROM (FROM ${table} ORDER BY change_id)`,
      (table) =>
        `SELECT change_id, seq, * EXCLUDE (change_id, seq, is_asked) FROM ${table} WHERE is_asked ORDER BY ${inOrder}`,
    ],
  };
}

const storedId = "id AS change_id";

function storedMembers({ dialect }: Scope, data: QuestionData): string[] {
  const shown = (value: string) => shownValue(dialect, "text", value);
  return [
    `f AS ${dialect.identifier("id")}`,
    "visible_id",
    `name AS ${dialect.identifier("column")}`,
    "k AS property_key",
    `${shown("v")} AS ${dialect.identifier("value")}`,
    `${shown("previous")} AS previous`,
    `is_system AS ${dialect.identifier("system")}`,
    "user_id",
    "cause AS caused_by_change_id",
    `${dialect.instant("us")} AS created_at`,
    "us AS created_at_us",
    `${dialect.instant(recordedUs(dialect, "id"))} AS recorded_at`,
    `${localDate(dialect, "us", data)} AS local_date`,
  ];
}

/** `logged`: the changes of the scope's columns; they are ranked among those of all properties. */
function loggedMembers(scope: Scope, carried: readonly string[] = []): string[] {
  return [
    ...rankedMembers(scope, carried),
    "numbered AS (SELECT ranked.*, row_number() OVER (ORDER BY id) - 1 AS seq FROM ranked)",
    "logged AS (SELECT * FROM numbered WHERE col IS NOT NULL)",
  ];
}

/** `ranked`: the changes of all properties with what was said before; `col` is null where a column is not asked for. */
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
    ...changeCtes(
      scope,
      scope.columns.map((_, column) => column),
      { extra, others: true },
    ),
    `ranked AS (SELECT feat.f${along}, id, col, k, v, us, is_system, user_id, cause,
    lag(v) OVER (PARTITION BY feat.f, k ORDER BY ${changeOrder(scope.dialect)}) AS previous
  FROM changes JOIN feat ON feat.f = changes.f WHERE us IS NOT NULL)`,
  ];
}
