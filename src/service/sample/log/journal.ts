import { DAY, PRESENT, SECOND } from "../base/instant.js";
import type { Random } from "../base/random.js";
import type { Edit } from "./edit.js";

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

  /** What the system changes because of another edit, perhaps of another feature. */
  knockOn(cause: Edit, key: string, value: unknown): Edit {
    const lag = this.#delay(900, 90_000);
    return this.#write(key, value, cause.at + lag, cause.insertedAt + lag + this.#delay(1, 4000), null, cause);
  }

  /** The edits so far. What would come after the present has not happened; effects come after their causes. */
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
