// The stretches of time in which items were not done: what flow() counts and measures.
import { intervalsOf } from "../cell/cell-intervals.js";
import { UNKNOWN } from "../cell/cell-state.js";
import type { HistoryData } from "../cell/history-data.js";
import { setOfCell } from "../cell/value-sets.js";

/** How the values of a column part the time of an item. */
export interface WalkOptions {
  readonly done: readonly unknown[];
  /** Undefined where work begins with the arrival. */
  readonly start: readonly unknown[] | undefined;
  /** None where nobody asks for the time in them. */
  readonly blocked: readonly unknown[];
  /** The last microsecond that is looked at. */
  readonly lastUs: number;
  /** Whether a cycle whose beginning is not known counts from the creation. */
  readonly isFromCreation: boolean;
  /** A length of time as a number that adds up, of what goes on cut at the end. */
  readonly length: (fromUs: number, toUs: number) => number;
}

/** Stays feature by feature, in order of time; one place in each column is one stay. */
export class Stays {
  count = 0;
  /** How many features were done from the first on that is known of them. */
  doneAtFirst = 0;
  readonly rows: Int32Array;
  /** When it arrived. */
  readonly fromUs: Float64Array;
  /** Since when its status is known. */
  readonly knownUs: Float64Array;
  /** When it began to be in progress; not finite where it did not, or nobody knows. */
  readonly startedUs: Float64Array;
  /** When it was seen to be in progress for the first time; NaN where it was not. */
  readonly startSeenUs: Float64Array;
  /** When it was done; Infinity where it is not. */
  readonly doneUs: Float64Array;
  /** Until when it was open: it was done, or its feature was found to be gone. Infinity where it still is. */
  readonly untilUs: Float64Array;
  /** How long it was blocked from `startedUs` on, as `length` tells. */
  readonly blocked: Float64Array;
  /** How often it will have been done when it is. */
  readonly times: Int32Array;
  /** What it held last. */
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

  /** A new one that is not done yet. */
  arrive(row: number, fromUs: number, knownUs: number, times: number): number {
    const previous = this.count - 1;
    if (previous >= 0 && this.rows[previous] === row) this.#isReopened[previous] = 1;
    const stay = this.count;
    this.rows[stay] = row;
    this.fromUs[stay] = fromUs;
    this.knownUs[stay] = knownUs;
    this.times[stay] = times;
    this.count += 1;
    return stay;
  }

  /** Work begins, as far as is known. */
  begin(stay: number, us: number, isAfterUnknown: boolean, isFromCreation: boolean): void {
    const isKnown = us >= (this.knownUs[stay] as number) && !isAfterUnknown;
    this.startSeenUs[stay] = us;
    this.#isStartUnknown[stay] = Number(!isKnown);
    if (isKnown) this.startedUs[stay] = us;
    // The value before is unknown, so this one may hold since the feature was created.
    else if (isFromCreation) this.startedUs[stay] = this.fromUs[stay] as number;
  }

  /** It holds a value up to a time. */
  hold(stay: number, decision: number, untilUs: number): void {
    this.lastDecisions[stay] = decision;
    this.untilUs[stay] = untilUs;
  }

  /** What waits before work begins is no part of it. */
  block(stay: number, length: number): void {
    if (this.isStarted(stay)) this.blocked[stay] = (this.blocked[stay] as number) + length;
  }

  isStarted(stay: number): boolean {
    return !Number.isNaN(this.startSeenUs[stay]);
  }

  isDone(stay: number): boolean {
    return this.doneUs[stay] !== Number.POSITIVE_INFINITY;
  }

  /** Whether it has a time from which it counts. */
  hasStart(stay: number): boolean {
    return Number.isFinite(this.startedUs[stay]);
  }

  /** Whether that time is when it began indeed. */
  isStartKnown(stay: number): boolean {
    return this.hasStart(stay) && this.#isStartUnknown[stay] === 0;
  }

  /** Whether it came out of a done value again. */
  isReopened(stay: number): boolean {
    return this.#isReopened[stay] === 1;
  }
}

const NOWHERE = -1;

/** @throws ArgumentError for a value that is both done and started, or both done and blocked */
export function walkStays(data: HistoryData, column: number, options: WalkOptions): Stays {
  const { done, start, blocked, lastUs, isFromCreation, length } = options;
  const spans = intervalsOf(data, column);
  const setOf = setOfCell(data, column, { done, start: start ?? [] });
  const blockedOf = blocked.length === 0 ? undefined : setOfCell(data, column, { done, blocked });
  const stays = new Stays(spans.length);
  let [open, row, times] = [NOWHERE, NOWHERE, 0];
  let [isBeforeUnknown, beforeFromUs] = [false, 0];
  for (let span = 0; span < spans.length; span += 1) {
    const spanRow = spans.rows[span] as number;
    const decision = spans.decisions[span] as number;
    const fromUs = spans.fromUs[span] as number;
    const isAfterUnknown = spanRow === row && isBeforeUnknown;
    // A feature whose creation is unknown is not known to exist before its first change.
    const isFirst = spanRow !== row || (isAfterUnknown && !Number.isFinite(beforeFromUs));
    [row, isBeforeUnknown, beforeFromUs] = [spanRow, decision === UNKNOWN, fromUs];
    if (isFirst) [open, times] = [NOWHERE, 0];
    if (fromUs > lastUs || (decision === UNKNOWN && !Number.isFinite(fromUs))) continue;
    const set = setOf(row, decision);
    if (set === "done") {
      stays.doneAtFirst += Number(isFirst);
      times += Number(isFirst || open !== NOWHERE);
      if (open !== NOWHERE) stays.doneUs[open] = fromUs;
      open = NOWHERE;
      continue;
    }
    const toUs = spans.toUs[span] as number;
    if (open === NOWHERE) open = stays.arrive(row, fromUs, decision === UNKNOWN ? toUs : fromUs, times + 1);
    stays.hold(open, decision, toUs);
    if ((!start || set === "start") && !stays.isStarted(open))
      stays.begin(open, fromUs, isAfterUnknown, isFromCreation);
    if (blockedOf?.(row, decision) === "blocked") stays.block(open, length(fromUs, toUs));
  }
  return stays;
}
