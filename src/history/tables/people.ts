import { dateOf } from "../../core/instant.js";
import type { RowTable } from "../../tables/column/row-table.js";
import { toTable } from "../../tables/column/table.js";
import type { HistoryData } from "../cell/history-data.js";
import { compareValues } from "../columns/step-order.js";
import { NONE } from "../log/change-log.js";
import { LocalClock } from "../time/local-clock.js";

/** Who edited how much. */
export interface People extends RowTable<PersonRow> {
  /** When they did, by clocks in `timeZone`: `user_id`, `system`, `weekday` (ISO, 1 is Monday), `hour`, `edits`. */
  readonly hours: RowTable<PersonHourRow>;
}

/** A row of `history.people()`. */
export interface PersonRow {
  /** Who edited; null for the system. */
  readonly user_id: number | null;
  /** Whether it is the system. */
  readonly system: boolean;
  /** How many changes. */
  readonly edits: number;
  /** The first of them. */
  readonly first_at: Date;
  /** The last of them. */
  readonly last_at: Date;
}

/** A row of `history.people().hours`. */
export interface PersonHourRow {
  /** Who edited; null for the system. */
  readonly user_id: number | null;
  /** Whether it is the system. */
  readonly system: boolean;
  /** Day of the week; 1 is Monday. */
  readonly weekday: number;
  /** Hour of the day, from 0. */
  readonly hour: number;
  /** How many changes. */
  readonly edits: number;
}

/** Who edits. */
export interface Actor {
  readonly user: number | null;
  readonly system: boolean;
  edits: number;
  firstUs: number;
  lastUs: number;
  /** Edits by hour of the ISO week. */
  readonly week: Int32Array;
}

/** Edits of each user and of the system. */
export function people(data: HistoryData): People {
  return peopleTable(actorsOf(data));
}

/** A row for each actor. */
export function peopleTable(unordered: Iterable<Actor>): People {
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
  return Object.assign(table as RowTable<PersonRow>, {
    hours: toTable([
      ["user_id", hours.map(({ user }) => user)],
      ["system", hours.map(({ system }) => system)],
      ["weekday", hours.map(({ hour }) => Math.floor(hour / 24) + 1)],
      ["hour", hours.map(({ hour }) => hour % 24)],
      ["edits", hours.map(({ edits }) => edits)],
    ]) as RowTable<PersonHourRow>,
  });
}

function actorsOf({ log, columnOfKey, timeZone }: HistoryData): Iterable<Actor> {
  const clock = new LocalClock(timeZone);
  const actors = new Map<number, Actor>();
  for (let change = 0; change < log.length; change += 1) {
    if (columnOfKey[log.keyCodes[change] as number] === NONE) continue;
    const userCode = log.userCodes[change] as number;
    const system = log.system[change] as number;
    const us = log.timesUs[change] as number;
    const key = 2 * userCode + system;
    const actor = actors.get(key) ?? newActor(log.users[userCode] ?? null, system === 1);
    actors.set(key, actor);
    const hour = clock.hourOfWeek(us);
    actor.edits += 1;
    actor.firstUs = Math.min(actor.firstUs, us);
    actor.lastUs = Math.max(actor.lastUs, us);
    actor.week[hour] = (actor.week[hour] as number) + 1;
  }
  return actors.values();
}

/** One who did not edit yet. */
export function newActor(user: number | null, system: boolean): Actor {
  return {
    user,
    system,
    edits: 0,
    firstUs: Number.POSITIVE_INFINITY,
    lastUs: Number.NEGATIVE_INFINITY,
    week: new Int32Array(168),
  };
}
