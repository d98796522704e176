import type { CellBuilder } from "../cells/cell-builder.js";
import { Literal } from "../json/read-value.js";
import { type JsonBytes, MALFORMED } from "../json/scan-json.js";

/** Where in a record a value stands: before the nested object, in it, or after it. */
export type Place = 0 | 1 | 2;

/** What was seen between two values of a record, byte for byte, and the column of the value behind it. */
export interface Segment {
  readonly literal: Uint8Array;
  /** undefined behind the last value: the record ends. */
  readonly column: CellBuilder | undefined;
  readonly place: Place;
}

/** What was learned at one time, for others that read by it. States are told by their keys. */
export interface GrammarStep {
  readonly from: number;
  readonly literal: Uint8Array;
  readonly column: CellBuilder | undefined;
  readonly next: number;
}

interface Step {
  readonly literal: Literal;
  readonly column: CellBuilder | undefined;
  readonly next: State;
}

interface State {
  readonly steps: Step[];
  /** The step taken last. */
  likely: Step | undefined;
}

/** Bounds of what is learned, so that data without a pattern costs neither memory nor time. */
const MOST_STEPS = 4096;
const MOST_STEPS_OF_STATE = 64;

/**
 * The way that records of one source are written, learned from records: after the value of each column, which bytes
 * led to which next value. Records are then read by comparing bytes, without looking for keys.
 *
 * Why what it accepts is right: a state is the column and the place (before, in or behind the nested object) of the
 * last value, so it fixes what is open at that point; every literal was learned in the same state from valid JSON;
 * and every value in between is read by a reader that accepts valid JSON only. So the text accepted is valid, keys are
 * those of the literals, and a repeated key writes its row twice: the last one counts, as in `JSON.parse`. The nested
 * object cannot be entered twice, since the place never goes back.
 */
export class RecordGrammar {
  /** The key of the state before a record. */
  readonly start = -1;
  /** All that was learned. */
  readonly steps: GrammarStep[] = [];
  readonly #start: State = { steps: [], likely: undefined };
  readonly #states = new Map([[this.start, this.#start]]);

  /**
   * Reads the record at `start` into a row, if it is written in a way that was learned.
   *
   * @returns the position after the record, or `MALFORMED`
   */
  read(json: JsonBytes, start: number, row: number): number {
    let state = this.#start;
    let p = start;
    for (;;) {
      const step = takeStep(state, json, p);
      if (!step) return MALFORMED;
      p += step.literal.length;
      if (!step.column) return p;
      p = step.column.read(json, p, row);
      if (p === MALFORMED) return MALFORMED;
      state = step.next;
    }
  }

  /** Learns from the segments of one valid record. */
  learn(segments: readonly Segment[]): void {
    let from = this.start;
    for (const { literal, column, place } of segments) {
      const next = column ? column.index * 3 + place : this.start;
      const { steps } = this.#state(from);
      const known = steps.some((step) => Buffer.compare(step.literal.bytes, literal) === 0);
      if (!known && this.steps.length < MOST_STEPS && steps.length < MOST_STEPS_OF_STATE) {
        steps.push({ literal: new Literal(literal), column, next: this.#state(next) });
        this.steps.push({ from, literal, column, next });
      }
      from = next;
    }
  }

  #state(key: number): State {
    const known = this.#states.get(key);
    if (known) return known;
    const state: State = { steps: [], likely: undefined };
    this.#states.set(key, state);
    return state;
  }
}

function takeStep(state: State, json: JsonBytes, p: number): Step | undefined {
  if (state.likely?.literal.isAt(json, p)) return state.likely;
  for (const step of state.steps) {
    if (!step.literal.isAt(json, p)) continue;
    state.likely = step;
    return step;
  }
  return undefined;
}
