import { itemAt } from "../base/random.js";

/** The captures in which something on site is seen: from `first` to `last`; in none if `last` comes before `first`. */
export interface Span {
  readonly first: number;
  readonly last: number;
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
    const spans = spansOf(count, spanOf);
    const slots = firstSlots(spans, captureCount);
    for (const [subject, { first, last }] of spans.entries()) {
      let previous = NONE;
      for (let capture = first; capture <= last; capture++) {
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

/** The spans of as many things as it takes for `count` sightings; the last one is cut short. */
function spansOf(count: number, spanOf: (subject: number) => Span): readonly Span[] {
  const spans: Span[] = [];
  for (let left = count; left > 0; ) {
    const { first, last } = spanOf(spans.length);
    spans.push({ first, last: Math.min(last, first + left - 1) });
    left -= Math.max(0, Math.min(left, last - first + 1));
  }
  return spans;
}

function firstSlots(spans: readonly Span[], captureCount: number): Uint32Array {
  const counts = new Uint32Array(captureCount);
  for (const { first, last } of spans) {
    for (let capture = first; capture <= last; capture++) counts[capture] = itemAt(counts, capture) + 1;
  }
  let total = 0;
  return counts.map((count) => {
    const slot = total;
    total += count;
    return slot;
  });
}
