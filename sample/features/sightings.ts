import { itemAt } from "../base/random.js";

/** When something is on site to be seen: from the capture `first` to `last`; never if `last` comes before `first`. */
export interface Span {
  readonly first: number;
  readonly last: number;
  /** A capture in between that did not look where it is. */
  readonly missed?: number;
}

/** One thing as seen in one capture. */
export interface Sighting {
  readonly subject: number;
  readonly capture: number;
  /** Index of the sighting of the same thing in the capture before. */
  readonly previous: number | null;
  /** Whether no later capture shows it. */
  readonly isLast: boolean;
}

const NONE = 0xffffffff;

/** Exactly `count` sightings, ordered by capture: a thing has one in each capture that shows it. */
export class Sightings {
  readonly #subjects: Uint32Array;
  readonly #captures: Uint8Array;
  readonly #previous: Uint32Array;
  readonly #isLast: Uint8Array;

  constructor(count: number, captureCount: number, spanOf: (subject: number) => Span) {
    this.#subjects = new Uint32Array(count);
    this.#captures = new Uint8Array(count);
    this.#previous = new Uint32Array(count).fill(NONE);
    this.#isLast = new Uint8Array(count);
    const captures = capturesBySubject(count, spanOf);
    const slots = firstSlots(captures, captureCount);
    for (const [subject, seen] of captures.entries()) {
      let previous = NONE;
      for (const capture of seen) {
        const slot = itemAt(slots, capture);
        slots[capture] = slot + 1;
        this.#subjects[slot] = subject;
        this.#captures[slot] = capture;
        this.#previous[slot] = previous;
        previous = slot;
      }
      if (previous !== NONE) this.#isLast[previous] = 1;
    }
  }

  at(index: number): Sighting {
    const previous = itemAt(this.#previous, index);
    return {
      subject: itemAt(this.#subjects, index),
      capture: itemAt(this.#captures, index),
      previous: previous === NONE ? null : previous,
      isLast: itemAt(this.#isLast, index) === 1,
    };
  }
}

/** The captures that show each of as many things as it takes for `count` sightings; the last thing is cut short. */
function capturesBySubject(count: number, spanOf: (subject: number) => Span): readonly (readonly number[])[] {
  const captures: (readonly number[])[] = [];
  for (let left = count; left > 0; ) {
    const seen = capturesWithin(spanOf(captures.length)).slice(0, left);
    captures.push(seen);
    left -= seen.length;
  }
  return captures;
}

function capturesWithin({ first, last, missed }: Span): readonly number[] {
  const seen: number[] = [];
  for (let capture = first; capture <= last; capture++) if (capture !== missed) seen.push(capture);
  return seen;
}

function firstSlots(captures: readonly (readonly number[])[], captureCount: number): Uint32Array {
  const counts = new Uint32Array(captureCount);
  for (const seen of captures) for (const capture of seen) counts[capture] = itemAt(counts, capture) + 1;
  let total = 0;
  return counts.map((count) => {
    const slot = total;
    total += count;
    return slot;
  });
}
