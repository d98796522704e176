import { undecided } from "../cell/deciding-changes.js";
import type { HistoryData } from "../cell/history-data.js";
import { type ChangeLog, type Codes, codeArray, NONE } from "../log/change-log.js";
import { REASONS } from "./decided-cells.js";

/** A walk through the changes of a column in valid order, and what each feature has by those that were walked through. */
export class ColumnSweep {
  /** By feature: the code of its value or why there is none, each `REASONS` higher; or `changing`. */
  readonly current: Codes;
  /** By feature: the change that decides, or `NONE`. Kept only if asked for. */
  readonly latest: Int32Array | undefined;
  /** Stands for a feature whose changes were looked at ahead: what it has depends on when. */
  readonly changing: number;
  readonly #log: ChangeLog;
  readonly #changes: Int32Array;
  #next = 0;

  /** @param keepsLatest whether it is to be known which change decides */
  constructor(data: HistoryData, column: number, keepsLatest: boolean) {
    const { index, log, features } = data;
    this.changing = log.values.length + REASONS;
    this.current = codeArray(this.changing + 1, features.count);
    const first = index.cell(0, column);
    for (let feature = 0; feature < features.count; feature += 1) {
      this.current[feature] = undecided(data, first + feature) + REASONS;
    }
    this.latest = keepsLatest ? new Int32Array(features.count).fill(NONE) : undefined;
    this.#log = log;
    this.#changes = index.changesOf(column);
  }

  /** Walks on through the changes up to a time, that included. */
  advance(us: number): void {
    const { timesUs, rows, valueCodes } = this.#log;
    const changes = this.#changes;
    const { current, latest } = this;
    let next = this.#next;
    for (; next < changes.length; next += 1) {
      const change = changes[next] ?? 0;
      if ((timesUs[change] ?? 0) > us) break;
      const feature = rows[change] ?? 0;
      current[feature] = (valueCodes[change] ?? 0) + REASONS;
      if (latest) latest[feature] = change;
    }
    this.#next = next;
  }

  /** Looks ahead: the features that change up to a time, that included, are `changing` until the walk goes on to it. */
  lookAhead(us: number): void {
    const { timesUs, rows } = this.#log;
    const changes = this.#changes;
    for (let next = this.#next; next < changes.length; next += 1) {
      const change = changes[next] ?? 0;
      if ((timesUs[change] ?? 0) > us) break;
      this.current[rows[change] ?? 0] = this.changing;
    }
  }
}
