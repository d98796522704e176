import type { HistoryData } from "../cell/history-data.js";

/** The changes that were made before their features were created, by feature: there are few. */
export class EarlyChanges {
  readonly #timesUs: Float64Array;
  readonly #changesOf = new Map<number, number[]>();

  constructor({ log, features }: Pick<HistoryData, "log" | "features">) {
    const { rows, timesUs, length } = log;
    this.#timesUs = timesUs;
    for (let change = 0; change < length; change += 1) {
      const feature = rows[change] ?? 0;
      if (!((timesUs[change] ?? 0) < (features.createdUs[feature] ?? 0))) continue;
      const own = this.#changesOf.get(feature);
      if (own) own.push(change);
      else this.#changesOf.set(feature, [change]);
    }
  }

  /** Whether one of the first changes of the log, in whichever property of a feature, was made at or before a time. */
  hasOne(feature: number, us: number, known: number): boolean {
    const own = this.#changesOf.get(feature) ?? [];
    return own.some((change) => change < known && (this.#timesUs[change] ?? 0) <= us);
  }
}
