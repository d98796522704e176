// The intervals in which items were not done, which flow() counts and measures.
import { intervalsOf } from "../../cell/cell-intervals.js";
import { UNKNOWN } from "../../cell/cell-state.js";
import type { HistoryData } from "../../cell/history-data.js";
import { setOfCell } from "../../cell/value-sets.js";

/** How the values of a column divide the time of an item. */
export interface WalkOptions {
  readonly done: readonly unknown[];
  /** Undefined if work begins with the arrival. */
  readonly start: readonly unknown[] | undefined;
  /** Empty if the blocked time is not requested. */
  readonly blocked: readonly unknown[];
  /** The last microsecond to consider. */
  readonly lastUs: number;
  /** Whether a cycle with an unknown start counts from the creation. */
  readonly isFromCreation: boolean;
  /** Length of time as a number that can be summed; open intervals are cut at the end. */
  readonly length: (fromUs: number, toUs: number) => number;
}

/** Open intervals by feature, in order of time; each index in the columns is one interval. */
export class OpenIntervals {
  count = 0;
  /** Number of features that were done from their first known value on. */
  doneAtFirst = 0;
  readonly rows: Int32Array;
  /** When the item arrived. */
  readonly fromUs: Float64Array;
  /** Since when its status is known. */
  readonly knownUs: Float64Array;
  /** When work on it began; not finite if it did not begin or the time is unknown. */
  readonly startedUs: Float64Array;
  /** When it was first seen to be in progress; NaN if never. */
  readonly startSeenUs: Float64Array;
  /** When it was done; Infinity if it is not. */
  readonly doneUs: Float64Array;
  /** Until when it was open: it was done, or its feature was deleted. Infinity if it is still open. */
  readonly untilUs: Float64Array;
  /** How long it was blocked from `startedUs` on, measured by `length`. */
  readonly blocked: Float64Array;
  /** Its number among the completions of its feature, once it is done. */
  readonly times: Int32Array;
  /** Its last content. */
  readonly lastDecisions: Int32Array;
  readonly #isStartUnknown: Uint8Array;
  readonly #isReopened: Uint8Array;

  constructor(capacity: number) {
    this.rows = new Int32Array(capacity);
    this.fromUs = new Float64Array(capacity);
    this.knownUs = new Float64Array(capacity);
    this.startedUs = new Float64Array(capacity).fill(Number.NaN);
    this.startSeenUs = new Float64Array(capacity).fill(Number.NaN);
    this.doneUs = new Float64Array(capacity).fill(Number.POSITIVE_INFINITY);
    this.untilUs = new Float64Array(capacity);
    this.blocked = new Float64Array(capacity);
    this.times = new Int32Array(capacity);
    this.lastDecisions = new Int32Array(capacity);
    this.#isStartUnknown = new Uint8Array(capacity);
    this.#isReopened = new Uint8Array(capacity);
  }

  /** Adds an interval that is not done yet. */
  arrive(row: number, fromUs: number, knownUs: number, times: number): number {
    const previous = this.count - 1;
    if (previous >= 0 && this.rows[previous] === row) this.#isReopened[previous] = 1;
    const index = this.count;
    this.rows[index] = row;
    this.fromUs[index] = fromUs;
    this.knownUs[index] = knownUs;
    this.times[index] = times;
    this.count += 1;
    return index;
  }

  /** Work begins, as far as is known. */
  begin(index: number, us: number, isAfterUnknown: boolean, isFromCreation: boolean): void {
    const isKnown = us >= (this.knownUs[index] as number) && !isAfterUnknown;
    this.startSeenUs[index] = us;
    this.#isStartUnknown[index] = Number(!isKnown);
    if (isKnown) this.startedUs[index] = us;
    // The value before is unknown, so this one may hold since the feature was created.
    else if (isFromCreation) this.startedUs[index] = this.fromUs[index] as number;
  }

  /** Sets the content up to a time. */
  hold(index: number, decision: number, untilUs: number): void {
    this.lastDecisions[index] = decision;
    this.untilUs[index] = untilUs;
  }

  /** Waiting before work begins is not counted. */
  block(index: number, length: number): void {
    if (this.isStarted(index)) this.blocked[index] = (this.blocked[index] as number) + length;
  }

  isStarted(index: number): boolean {
    return !Number.isNaN(this.startSeenUs[index]);
  }

  isDone(index: number): boolean {
    return this.doneUs[index] !== Number.POSITIVE_INFINITY;
  }

  /** Whether it has a start to count from. */
  hasStart(index: number): boolean {
    return Number.isFinite(this.startedUs[index]);
  }

  /** Whether that start is the actual start. */
  isStartKnown(index: number): boolean {
    return this.hasStart(index) && this.#isStartUnknown[index] === 0;
  }

  /** Whether it left a done value. */
  isReopened(index: number): boolean {
    return this.#isReopened[index] === 1;
  }
}

const NOWHERE = -1;

/** @throws ArgumentError for a value that is both done and started, or both done and blocked */
export function openIntervals(data: HistoryData, column: number, options: WalkOptions): OpenIntervals {
  const { done, start, blocked, lastUs, isFromCreation, length } = options;
  const intervals = intervalsOf(data, column);
  const setOf = setOfCell(data, column, { done, start: start ?? [] });
  const blockedOf = blocked.length === 0 ? undefined : setOfCell(data, column, { done, blocked });
  const opened = new OpenIntervals(intervals.length);
  let [open, row, times] = [NOWHERE, NOWHERE, 0];
  let [isBeforeUnknown, beforeFromUs] = [false, 0];
  for (let interval = 0; interval < intervals.length; interval += 1) {
    const intervalRow = intervals.rows[interval] as number;
    const decision = intervals.decisions[interval] as number;
    const fromUs = intervals.fromUs[interval] as number;
    const isAfterUnknown = intervalRow === row && isBeforeUnknown;
    // A feature whose creation time is unknown may not exist before its first change.
    const isFirst = intervalRow !== row || (isAfterUnknown && !Number.isFinite(beforeFromUs));
    [row, isBeforeUnknown, beforeFromUs] = [intervalRow, decision === UNKNOWN, fromUs];
    if (isFirst) [open, times] = [NOWHERE, 0];
    if (fromUs > lastUs || (decision === UNKNOWN && !Number.isFinite(fromUs))) continue;
    const set = setOf(row, decision);
    if (set === "done") {
      opened.doneAtFirst += Number(isFirst);
      times += Number(isFirst || open !== NOWHERE);
      if (open !== NOWHERE) opened.doneUs[open] = fromUs;
      open = NOWHERE;
      continue;
    }
    const toUs = intervals.toUs[interval] as number;
    if (open === NOWHERE) open = opened.arrive(row, fromUs, decision === UNKNOWN ? toUs : fromUs, times + 1);
    opened.hold(open, decision, toUs);
    if ((!start || set === "start") && !opened.isStarted(open))
      opened.begin(open, fromUs, isAfterUnknown, isFromCreation);
    if (blockedOf?.(row, decision) === "blocked") opened.block(open, length(fromUs, toUs));
  }
  return opened;
}
