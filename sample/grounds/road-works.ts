import { itemAt } from "../base/random.js";
import { hullOf, type LocalGrid, type Metres, splitLines } from "../base/shapes.js";

const VERTICES = 240;
const CORRIDOR = 60;
const MOST_METRES = 40_000;

/** The layout of the road: a bypass in two bends, in sections of equal length. */
export class RoadWorks {
  readonly frame: LocalGrid = {
    origin: [-1.021, 52.031],
    metresPerDegree: [68_631, 111_268],
    turn: [0.829037572555, 0.559192903471],
  };
  readonly sections: readonly (readonly Metres[])[];
  readonly boundary: readonly Metres[];

  constructor(sectionCount: number) {
    const reach = Math.min(MOST_METRES, 90 * sectionCount);
    const centreLine = Array.from({ length: VERTICES + 1 }, (_, i): Metres => {
      const share = i / VERTICES;
      const bend = share * (1 - share) * (1 - 2 * share);
      return [share * reach, 0.8 * bend * reach + 0.35 * share * (1 - share) * reach];
    });
    this.sections = splitLines([centreLine], sectionCount);
    this.boundary = hullOf(
      centreLine.flatMap(([x, y]): Metres[] => [
        [x - CORRIDOR, y - CORRIDOR],
        [x + CORRIDOR, y - CORRIDOR],
        [x + CORRIDOR, y + CORRIDOR],
        [x - CORRIDOR, y + CORRIDOR],
      ]),
    );
  }

  /** A place beside a section, in metres left of its start. */
  beside(section: number, left: number): Metres {
    const line = itemAt(this.sections, section);
    const [ax, ay] = itemAt(line, 0);
    const [bx, by] = itemAt(line, 1);
    const length = Math.sqrt((bx - ax) * (bx - ax) + (by - ay) * (by - ay));
    return [ax - ((by - ay) / length) * left, ay + ((bx - ax) / length) * left];
  }
}
