import type { Codes } from "../log/change-log.js";
import { UNKNOWN } from "./cell-state.js";
import { undecided } from "./deciding-changes.js";
import type { HistoryData } from "./history-data.js";
import { goneFromUs } from "./present-rows.js";

/**
 * The intervals in which the cells of one column had the same content, by feature, in order of time. The intervals of a
 * feature have no gaps, from the start of its existence to the end.
 */
export interface Intervals {
  readonly length: number;
  /** Row of each interval's feature. */
  readonly rows: Int32Array;
  /** The decision of the cell: the index of the interval's first change, or the reason for no change. */
  readonly decisions: Int32Array;
  /** First microsecond. */
  readonly fromUs: Float64Array;
  /**
   * Microsecond after the last; Infinity while it holds. For the last interval of a deleted feature, when the deletion
   * was found.
   */
  readonly toUs: Float64Array;
}

/** The intervals of a column. Empty ones are dropped, then adjacent equal ones are joined. */
export function intervalsOf(data: HistoryData, column: number): Intervals {
  const { index, presentFromUs } = data;
  const { timesUs, valueCodes } = index;
  const changeCount = index.changesOf(column).length;
  const list = new IntervalList(valueCodes, presentFromUs.length + changeCount);
  for (let row = 0; row < presentFromUs.length; row += 1) {
    const cell = index.cell(row, column);
    const [start, end] = [index.start(cell), index.end(cell)];
    let from = presentFromUs[row] as number;
    const until = goneFromUs(data, row);
    let current = start === end ? undecided(data, cell) : UNKNOWN;
    for (let position = start; position < end; position += 1) {
      const to = Math.min(timesUs[position] as number, until);
      list.add(row, current, from, to);
      from = to;
      current = position;
    }
    list.add(row, current, from, until);
  }
  return list;
}

class IntervalList implements Intervals {
  length = 0;
  readonly rows: Int32Array;
  readonly decisions: Int32Array;
  readonly fromUs: Float64Array;
  readonly toUs: Float64Array;
  readonly #valueCodes: Codes;

  constructor(valueCodes: Codes, capacity: number) {
    this.rows = new Int32Array(capacity);
    this.decisions = new Int32Array(capacity);
    this.fromUs = new Float64Array(capacity);
    this.toUs = new Float64Array(capacity);
    this.#valueCodes = valueCodes;
  }

  add(row: number, decision: number, fromUs: number, toUs: number): void {
    if (toUs <= fromUs) return;
    const last = this.length - 1;
    if (last >= 0 && this.rows[last] === row && this.#saysSame(this.decisions[last] as number, decision)) {
      this.toUs[last] = toUs;
      return;
    }
    this.rows[this.length] = row;
    this.decisions[this.length] = decision;
    this.fromUs[this.length] = fromUs;
    this.toUs[this.length] = toUs;
    this.length += 1;
  }

  #saysSame(a: number, b: number): boolean {
    return a >= 0 && b >= 0 && this.#valueCodes[a] === this.#valueCodes[b];
  }
}
