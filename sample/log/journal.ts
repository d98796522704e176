import type { Random } from "../../src/core/random.js";
import { DAY, HOUR, PRESENT, SECOND, startOfDay, weekday } from "../base/instant.js";

/** Writes down the edits of one feature. */
export class Journal {
  readonly #featureId: number;
  readonly #random: Random;
  readonly #edits: Edit[] = [];

  constructor(featureId: number, random: Random) {
    this.#featureId = featureId;
    this.#random = random;
  }

  /** An edit by a person who is online. */
  person(userId: number, key: string, value: unknown, at: number): Edit {
    return this.#write(key, value, at, at + this.#delay(0.1 * SECOND, 3 * SECOND), userId, null);
  }

  /** An edit by a person who was out of reach: it arrives days later. */
  offline(userId: number, key: string, value: unknown, at: number): Edit {
    return this.synced(userId, key, value, at, at + this.#delay(1 * DAY, 9 * DAY));
  }

  /** An edit that a device made earlier and sent when it was back online. */
  synced(userId: number, key: string, value: unknown, at: number, syncedAt: number): Edit {
    return this.#write(key, value, at, syncedAt + this.#delay(0.1 * SECOND, 3 * SECOND), userId, null);
  }

  /** An edit by the system, as part of an import or a calculation. */
  system(key: string, value: unknown, at: number): Edit {
    return this.#write(key, value, at, at + this.#delay(0.01 * SECOND, 20 * SECOND), null, null);
  }

  /** An edit by the system as a consequence of another edit, perhaps of another feature. */
  knockOn(cause: Edit, key: string, value: unknown): Edit {
    const lag = this.#delay(900, 90_000);
    return this.#write(key, value, cause.at + lag, cause.insertedAt + lag + this.#delay(1, 4000), null, cause);
  }

  /** The edits so far. Edits after the present have not happened; effects come after their causes. */
  edits(): readonly Edit[] {
    return this.#edits.filter((edit) => edit.insertedAt <= PRESENT);
  }

  #delay(low: number, high: number): number {
    return Math.floor(this.#random.between(low, high));
  }

  #write(key: string, value: unknown, at: number, insertedAt: number, userId: number | null, cause: Edit | null): Edit {
    const sequence = this.#edits.length;
    const edit = { featureId: this.#featureId, sequence, key, value, at, insertedAt, userId, cause };
    this.#edits.push(edit);
    return edit;
  }
}

/** One edit of one property, before it becomes a record of the log. */
export interface Edit {
  readonly featureId: number;
  /** Rank among the edits of its feature, as they were thought up. */
  readonly sequence: number;
  readonly key: string;
  readonly value: unknown;
  /** When the edit was made, in microseconds. */
  readonly at: number;
  /** When the service learned of it, in microseconds. */
  readonly insertedAt: number;
  /** The person; null for the system. */
  readonly userId: number | null;
  readonly cause: Edit | null;
}

/** An edit from the field by someone who is sometimes out of reach of the network. */
export function fieldEdit(
  journal: Journal,
  random: Random,
  userId: number,
  key: string,
  value: unknown,
  at: number,
): Edit {
  return random.chance(0.05) ? journal.offline(userId, key, value, at) : journal.person(userId, key, value, at);
}

/** A moment in the working hours of a day, or of the next Monday if the day is on a weekend; by a device's millisecond clock. */
export function workMoment(random: Random, day: number): number {
  const midnight = startOfDay(day);
  const weekend = Math.max(0, weekday(midnight) - 4);
  const monday = weekend === 0 ? 0 : 3 - weekend;
  return midnight + monday * DAY + Math.floor(random.between(6 * HOUR, 16 * HOUR) / 1000) * 1000;
}
