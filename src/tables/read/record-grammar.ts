import type { CellBuilder } from "../cells/cell-builder.js";
import { Literal } from "../json/read-value.js";
import { type JsonBytes, MALFORMED } from "../json/scan-json.js";

/** Place of a value in a record: before the nested object, inside, or after it. */
export type Place = 0 | 1 | 2;

/** The exact bytes between two values of a record, and the column of the following value. */
export interface Segment {
  readonly literal: Uint8Array;
  /** undefined after the last value: the record ends. */
  readonly column: CellBuilder | undefined;
  readonly flags: Place;
}

/** One learned step, for other readers. States are identified by their keys. */
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
  /** The last step taken. */
  likely: Step | undefined;
}

/** Limits of learning, so that data without a pattern costs neither memory nor time. */
const MOST_STEPS = 4096;
const MOST_STEPS_OF_STATE = 64;

/**
 * The byte patterns of records from one source, learned from records: after the value of each column, the bytes that
 * led to the next value. Further records are read by comparing bytes, without searching for keys.
 *
 * Correctness: a state is the column and the place (before, inside or after the nested object) of the last value, so it
 * determines which containers are open. Every literal was learned in the same state from valid JSON, and every value in
 * between is read by a reader that accepts only valid JSON. So accepted text is valid, keys are those of the literals,
 * and a repeated key writes its row twice: the last one counts, as in `JSON.parse`. The nested object cannot be entered
 * twice, because the place never goes back.
 */
export class RecordGrammar {
  /** The key of the state before a record. */
  readonly start = -1;
  /** All learned steps. */
  readonly steps: GrammarStep[] = [];
  readonly #start: State = { steps: [], likely: undefined };
  readonly #states = new Map([[this.start, this.#start]]);

  /**
   * Reads the record at `start` into a row, if its pattern was learned.
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
    for (const { literal, column, flags } of segments) {
      const next = column ? column.index * 3 + flags : this.start;
      const { steps } = this.#state(from);
      const isKnown = steps.some((step) => Buffer.compare(step.literal.bytes, literal) === 0);
      if (!isKnown && this.steps.length < MOST_STEPS && steps.length < MOST_STEPS_OF_STATE) {
        steps.push({ literal: new Literal(literal), column, next: this.#state(next) });
        this.steps.push({ from, literal, column, next });
      }
      from = next;
    }
  }

  #state(key: number): State {
    const isKnown = this.#states.get(key);
    if (isKnown) return isKnown;
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
