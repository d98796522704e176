import type { ColumnTable } from "arquero";
import { dateOf, US_PER_HOUR } from "../../core/instant.js";
import { LocalClock } from "../../core/local-clock.js";
import type { RowTable } from "../../tables/column/row-table.js";
import { toTable } from "../../tables/column/table.js";
import type { HistoryData } from "../cell/history-data.js";
import { compareValues } from "../columns/step-order.js";
import { NONE, type UserId } from "../log/change-log.js";
import { specify } from "./define/specification.js";
import { type Question, type QuestionData, queryAll } from "./engine/query-in-batches.js";
import { readRows, rowsSelect } from "./rows/read-rows.js";
import { changeCtes } from "./sql/cte/change-ctes.js";
import { featureCte } from "./sql/cte/feature-ctes.js";
import { clockOffset } from "./sql/local-date.js";
import { allColumns, type Scope, statement } from "./sql/statement-scope.js";

/** Number of edits by user. */
export interface EditsByUser extends RowTable<UserEditsRow> {
  /** Edits by weekday and hour in `timeZone`: `user_id`, `system`, `weekday` (ISO, 1 is Monday), `hour`, `edits`. */
  readonly hours: RowTable<UserHourRow>;
}

/** A row of `history.editsByUser()`. */
export interface UserEditsRow {
  /** User who edited; null for the system. */
  readonly user_id: number | null;
  /** Whether it is the system. */
  readonly system: boolean;
  /** Number of changes. */
  readonly edits: number;
  /** Time of the first change. */
  readonly first_at: Date;
  /** Time of the last change. */
  readonly last_at: Date;
}

/** A row of `history.editsByUser().hours`. */
export interface UserHourRow {
  /** User who edited; null for the system. */
  readonly user_id: number | null;
  /** Whether it is the system. */
  readonly system: boolean;
  /** Day of the week; 1 is Monday. */
  readonly weekday: number;
  /** Hour of the day, from 0. */
  readonly hour: number;
  /** Number of changes. */
  readonly edits: number;
}

/** A user or the system. */
interface Actor {
  readonly user: UserId | null;
  readonly system: boolean;
  edits: number;
  firstUs: number;
  lastUs: number;
  /** Edits by hour of the ISO week. */
  readonly week: Int32Array;
}

declare module "../history.js" {
  interface History<Rows extends ColumnTable, L> {
    /**
     * Returns the number of edits by user: `user_id`, `system`, `edits`, `first_at`, `last_at`. `hours` of the table
     * has them by weekday and hour in `timeZone`: `user_id`, `system`, `weekday` (1 is Monday), `hour`, `edits`.
     *
     * @example
     * ```ts
     * const edits = history.editsByUser();
     * edits.hours.select("user_id", "weekday", "hour", "edits")
     * ```
     */
    editsByUser(): EditsByUser;
  }
}

export const editsByUserSpecification = specify({
  summary: "Edits by user: count, first and last.",
  takes: [],
  options: {},
  parts: ["hours"],
  memory: (data) => ({ table: people(data) }),
  engine: peopleQuestion,
});

/** Edits of each user and of the system. */
export function people(data: HistoryData): EditsByUser {
  return peopleTable(actorsOf(data));
}

/** A row for each actor. */
function peopleTable(unordered: Iterable<Actor>): EditsByUser {
  const actors = [...unordered].sort((a, b) => Number(a.system) - Number(b.system) || compareValues(a.user, b.user));
  const hours = actors.flatMap(({ user, system, week }) =>
    Array.from(week, (edits, hour) => ({ user, system, edits, hour })).filter(({ edits }) => edits > 0),
  );
  const table = toTable([
    ["user_id", actors.map(({ user }) => user)],
    ["system", actors.map(({ system }) => system)],
    ["edits", actors.map(({ edits }) => edits)],
    ["first_at", actors.map(({ firstUs }) => dateOf(firstUs))],
    ["last_at", actors.map(({ lastUs }) => dateOf(lastUs))],
  ]);
  return Object.assign(table as RowTable<UserEditsRow>, {
    hours: toTable([
      ["user_id", hours.map(({ user }) => user)],
      ["system", hours.map(({ system }) => system)],
      ["weekday", hours.map(({ hour }) => Math.floor(hour / 24) + 1)],
      ["hour", hours.map(({ hour }) => hour % 24)],
      ["edits", hours.map(({ edits }) => edits)],
    ]) as RowTable<UserHourRow>,
  });
}

function actorsOf({ log, columnOfKey, timeZone }: HistoryData): Iterable<Actor> {
  const clock = new LocalClock(timeZone);
  const actors = new Map<number, Actor>();
  for (let change = log.initial; change < log.length; change += 1) {
    if (columnOfKey[log.keyCodes[change] as number] === NONE) continue;
    const userCode = log.userCodes[change] as number;
    const system = log.system[change] as number;
    const us = log.timesUs[change] as number;
    const key = 2 * userCode + system;
    const actor = actors.get(key) ?? newActor(log.users[userCode] ?? null, system === 1);
    actors.set(key, actor);
    addEdits(actor, clock.hourOfWeek(us), 1, us, us);
  }
  return actors.values();
}

/** A user without edits so far. */
function newActor(user: UserId | null, system: boolean): Actor {
  return {
    user,
    system,
    edits: 0,
    firstUs: Number.POSITIVE_INFINITY,
    lastUs: Number.NEGATIVE_INFINITY,
    week: new Int32Array(168),
  };
}

function addEdits(actor: Actor, hour: number, edits: number, firstUs: number, lastUs: number): void {
  actor.edits += edits;
  actor.firstUs = Math.min(actor.firstUs, firstUs);
  actor.lastUs = Math.max(actor.lastUs, lastUs);
  actor.week[hour] = (actor.week[hour] as number) + edits;
}

/** The question for the edits of each user, and their hours. */
export function peopleQuestion(data: QuestionData): Question<EditsByUser> {
  return {
    table: (signal) => table(data, signal),
    statement: (scope) => peopleStatement(scope),
    namesPersons: true,
  };
}

/** Edits of each user and of the system by hour of the ISO week. */
const hourShape = {
  user_id: "user",
  is_system: "flag",
  hour: "number",
  n: "number",
  first_us: "number",
  last_us: "number",
} as const;

async function table(data: QuestionData, signal: AbortSignal | undefined): Promise<EditsByUser> {
  const offset = clockOffset("us", data.timeZone, data.extent);
  const actors = new Map<string, Actor>();
  const rows = await readRows(
    data,
    hourShape,
    queryAll(data, (scope) => peopleRows(scope, offset), signal),
  );
  for (let row = 0; row < rows.length; row += 1) {
    const [user, system] = [rows.user_id(row), rows.is_system(row)];
    const key = `${user} ${system}`;
    const actor = actors.get(key) ?? newActor(user, system);
    actors.set(key, actor);
    addEdits(actor, rows.hour(row), rows.n(row), rows.first_us(row), rows.last_us(row));
  }
  return peopleTable(actors.values());
}

/** A whole number of weeks before all times, so that hours are counted up from it. */
const BEFORE_ALL_US = 200_000n * 168n * BigInt(US_PER_HOUR);

function peopleRows(scope: Scope, offset: string): string {
  const { dialect } = scope;
  const hours = dialect.quotient(`(us + ${offset} + ${BEFORE_ALL_US})`, String(US_PER_HOUR));
  return statement(
    [
      ...editMembers(scope),
      // 1970 began on a Thursday.
      `timed AS (SELECT user_id, is_system, us, mod(${hours} + 72, 168) AS hour FROM edits)`,
      `edits_by_hour AS (SELECT user_id, is_system, hour, count(*) AS n, min(us) AS first_us, max(us) AS last_us
  FROM timed GROUP BY user_id, is_system, hour)`,
    ],
    `SELECT ${rowsSelect(dialect, hourShape)} FROM edits_by_hour`,
  );
}

/** The self-contained statement for the edits by user. */
function peopleStatement(scope: Scope): string {
  const { dialect } = scope;
  return statement(
    editMembers(scope),
    `SELECT user_id, is_system AS ${dialect.identifier("system")}, count(*) AS edits, ${dialect.instant("min(us)")} AS first_at,
  ${dialect.instant("max(us)")} AS last_at
FROM edits GROUP BY user_id, is_system ORDER BY is_system, user_id NULLS FIRST`,
  );
}

function editMembers(scope: Scope): string[] {
  const extra = ["c.user_id AS user_id", `c.${scope.dialect.identifier("system")} AS is_system`];
  return [
    featureCte(scope),
    ...changeCtes(scope, allColumns(scope), { extra }),
    "edits AS (SELECT user_id, is_system, us FROM changes JOIN feat ON feat.f = changes.f WHERE us IS NOT NULL)",
  ];
}
