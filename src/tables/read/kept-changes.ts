import { type ChangeColumns, sliceChanges } from "./change-columns.js";
import { ChangeSegment, type SharedCodes, type SharedLists } from "./change-segment.js";
import { PassingChanges } from "./passing-changes.js";
import { SharedList } from "./shared-list.js";

/**
 * Changes that each segment holds: the last number is that of all further ones. Columns of so many are large enough for
 * the system to take their memory back as soon as it is given back; of a small log they would be a waste.
 */
const CAPACITIES = [1 << 16, 1 << 19, 1 << 22];

/**
 * The changes of many pages. They are copied into few large segments, since what thousands of small arrays leave behind
 * stays with the process; keys, values and users of all pages share one list each.
 */
export class KeptChanges {
  readonly #capacities: readonly number[];
  readonly #segments: ChangeSegment[] = [];
  readonly #lists: SharedLists = { keys: new SharedList(), values: new SharedList(), users: new SharedList() };

  constructor(capacities: readonly number[] = CAPACITIES) {
    this.#capacities = capacities;
  }

  /** Copies changes. */
  add(changes: ChangeColumns): void {
    const { keys, values, users } = this.#lists;
    const codes: SharedCodes = {
      keys: keys.codesOf(changes.keys.values),
      values: values.codesOf(changes.values.values),
      users: users.codesOf(changes.users.values),
    };
    for (let start = 0; start < changes.rowCount; ) {
      const segment = this.#open();
      const end = Math.min(start + segment.room, changes.rowCount);
      segment.add(sliceChanges(changes, start, end), codes, this.#lists);
      start = end;
    }
  }

  /** All changes, in the order in which they came: to be given into a log. Ends the keeping. */
  parts(): readonly ChangeColumns[] {
    return this.#segments.splice(0).map((segment) => new PassingChanges(segment.finish(this.#lists)));
  }

  #open(): ChangeSegment {
    const last = this.#segments.at(-1);
    if (last && last.room > 0) return last;
    const capacity = this.#capacities[this.#segments.length] ?? this.#capacities.at(-1) ?? 1;
    const segment = new ChangeSegment(capacity);
    this.#segments.push(segment);
    return segment;
  }
}
