import { ArgumentError } from "../../core/errors.js";

const SEGMENT = 1 << 16;
/** A cell has 32 bits for a position. */
const MOST_SEGMENTS = 2 ** 32 / SEGMENT;

/**
 * Runs of numbers, one behind the other. Segments are never moved, so that growing costs no copy and no second memory
 * but that of the run that is being written; no run lies across two.
 */
export class NumberHeap {
  /** Where the present run is. Making room may replace it. */
  values = new Float64Array(0);
  /** Where in it the run begins. */
  start = 0;
  /** Where in it the next number goes. */
  end = 0;
  /** The segments by their positions; a long one is there several times, and `#firsts` tells where it begins. */
  readonly #segments: Float64Array[] = [];
  readonly #firsts: number[] = [];
  /** Of the present segment among them. */
  #first = -1;

  constructor() {
    // Set twice, so that V8 does not take it for constant: see `TextDictionary`.
    this.#first = 0;
  }

  /** Begins a run behind the last one. */
  begin(): void {
    this.start = this.end;
  }

  /** Gives up the present run. */
  cancel(): void {
    this.end = this.start;
  }

  /** The position of the present run. */
  get position(): number {
    return this.#first * SEGMENT + this.start;
  }

  /** The position of the next run, and how many of its numbers fit there. */
  get next(): number {
    return this.#first * SEGMENT + this.end;
  }

  get room(): number {
    return this.values.length - this.end;
  }

  /** Adds the numbers of several runs, for which there is room. */
  append(numbers: Float64Array): void {
    this.values.set(numbers, this.end);
    this.end += numbers.length;
  }

  /**
   * Makes room for `count` more numbers of the run.
   *
   * @throws ArgumentError beyond 32 GiB
   */
  reserve(count: number): void {
    if (this.end + count > this.values.length) this.#move(count);
  }

  /** What the segment of a position holds from there on. */
  at(position: number): Float64Array {
    const place = Math.floor(position / SEGMENT);
    const start = position - (this.#firsts[place] ?? 0) * SEGMENT;
    return this.#segments[place]?.subarray(start) ?? new Float64Array(0);
  }

  /** Moves the run to the beginning of a segment that has room. */
  #move(count: number): void {
    const run = this.values.subarray(this.start, this.end);
    const places = Math.ceil(Math.max(1, (2 * (run.length + count)) / SEGMENT));
    // A segment that holds nothing but this run is not needed any more.
    if (this.start > 0) this.#first = this.#segments.length;
    if (this.#first + places > MOST_SEGMENTS) {
      throw new ArgumentError("One read brought geometries of more than 4,294,967,296 numbers.", {
        hint: "Read fewer records at a time, for example site by site.",
      });
    }
    this.values = new Float64Array(places * SEGMENT);
    this.values.set(run);
    this.start = 0;
    this.end = run.length;
    for (let place = this.#first; place < this.#first + places; place += 1) {
      this.#segments[place] = this.values;
      this.#firsts[place] = this.#first;
    }
  }
}
