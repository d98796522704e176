import type { Random } from "../base/random.js";

/** A class of thermal anomaly, with what is typical of it. */
export interface AnomalyKind {
  readonly code: string;
  /** Out of a hundred anomalies. */
  readonly share: number;
  /** Hotter than its surroundings by, in kelvin. */
  readonly deltaT: readonly [number, number];
  /** Yearly loss, in kWh. */
  readonly loss: readonly [number, number];
  /** Chance that it is repaired before the next capture. */
  readonly repair: number;
  /** Modules in the row that it covers. */
  readonly modules: number;
}

const kinds = [
  { code: "hot_spot", share: 40, deltaT: [6, 38], loss: [4, 45], repair: 0.2, modules: 1 },
  { code: "diode", share: 20, deltaT: [3, 9], loss: [240, 380], repair: 0.3, modules: 1 },
  { code: "soiling", share: 14, deltaT: [2, 7], loss: [5, 60], repair: 0.45, modules: 1 },
  { code: "vegetation", share: 9, deltaT: [3, 12], loss: [10, 90], repair: 0.5, modules: 1 },
  { code: "cracked_glass", share: 8, deltaT: [4, 18], loss: [15, 120], repair: 0.25, modules: 1 },
  { code: "string", share: 6, deltaT: [1.5, 5], loss: [18_000, 26_000], repair: 0.75, modules: 24 },
  { code: "pid", share: 3, deltaT: [2, 6], loss: [300, 900], repair: 0.1, modules: 8 },
] as const satisfies readonly AnomalyKind[];

export function anomalyKind(random: Random): AnomalyKind {
  let left = random.between(0, 100);
  for (const kind of kinds) {
    left -= kind.share;
    if (left < 0) return kind;
  }
  return kinds[0];
}
