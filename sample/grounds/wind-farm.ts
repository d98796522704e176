import { Random } from "../../src/core/random.js";
import { hullOf, type LocalGrid, type Metres, rectangle } from "../base/shapes.js";

/** The layout of the wind farm: rows of turbines along a ridge. */
export class WindFarm {
  readonly frame: LocalGrid = {
    origin: [-2.318, 55.462],
    metresPerDegree: [63_257, 111_332],
    turn: [0.939692620786, -0.342020143326],
  };
  readonly turbines: readonly Metres[];
  readonly boundary: readonly Metres[];
  /** In MVA. */
  readonly acPower: number;

  constructor(turbineCount: number) {
    this.acPower = Math.round(turbineCount * 42) / 10;
    const inRow = Math.ceil(turbineCount / 3);
    this.turbines = Array.from({ length: turbineCount }, (_, index) => {
      const random = new Random(index);
      const along = index % inRow;
      const row = Math.floor(index / inRow);
      const bend = (along - inRow / 2) / inRow;
      const x = along * 420 + row * 130 + random.between(-35, 35);
      return [x, row * 560 - 600 * bend * bend + random.between(-40, 40)];
    });
    this.boundary = hullOf(this.turbines.flatMap(([x, y]) => rectangle([x - 200, y - 200], 400, 400)));
  }
}

export function turbineName(index: number): string {
  return `WTG-${String(index + 1).padStart(2, "0")}`;
}
