import { itemAt } from "../base/random.js";
import { hullOf, type LocalGrid, type Metres, rectangle } from "../base/shapes.js";

/** A table carries two rows of upright modules. */
export const MODULES_IN_ROW = 24;
export const MODULE_WIDTH = 1.134;
export const TABLE_WIDTH = MODULES_IN_ROW * MODULE_WIDTH;
export const TABLE_DEPTH = 4.2;
const MODULE_POWER = 585e-6;
const COLUMN_PITCH = 28.4;
export const ROW_PITCH = 9;
const LANE = 8;
const ROAD = 16;
const SETBACK = 18;

/** Rows of tables with a lane in their middle. */
export interface ParkBlock {
  /** Lower left corner. */
  readonly corner: Metres;
  readonly width: number;
  readonly height: number;
}

/** A table of modules: its position and block. */
export interface ParkTable {
  readonly block: number;
  readonly row: number;
  readonly column: number;
  /** How far through the block's tables it comes, in [0, 1). */
  readonly share: number;
  /** Lower left corner. */
  readonly corner: Metres;
}

/** The layout of the solar park: blocks on a tilted grid, numbered from south to north. */
export class SolarPark {
  readonly frame: LocalGrid = {
    origin: [-5.987, 38.742],
    metresPerDegree: [86_940, 111_011],
    turn: [0.978147600734, 0.207911690818],
  };
  readonly blocks: readonly ParkBlock[];
  /** In MWp. */
  readonly peakPower: number;
  /** The fence line, counter-clockwise. */
  readonly boundary: readonly Metres[];
  readonly #tablesPerBlock: number;
  readonly #columns: number;

  constructor(tableCount: number) {
    this.peakPower = Math.round(tableCount * 2 * MODULES_IN_ROW * MODULE_POWER * 10) / 10;
    const blockCount = Math.min(48, Math.max(6, Math.ceil(tableCount / 60)));
    this.#tablesPerBlock = Math.ceil(tableCount / blockCount);
    this.#columns = 2 * Math.max(1, Math.round(Math.sqrt((this.#tablesPerBlock * ROW_PITCH) / COLUMN_PITCH) / 2));
    const rows = Math.ceil(this.#tablesPerBlock / this.#columns);
    const width = this.#columns * COLUMN_PITCH + LANE;
    const height = rows * ROW_PITCH;
    const corner = ([column, row]: Metres): Metres => [column * (width + ROAD), row * (height + ROAD)];
    const used = Math.ceil(tableCount / this.#tablesPerBlock);
    const rowsInLast = Math.ceil((tableCount - (used - 1) * this.#tablesPerBlock) / this.#columns);
    this.blocks = cells(used).map((cell, block) => ({
      corner: corner(cell),
      width,
      height: block === used - 1 ? rowsInLast * ROW_PITCH : height,
    }));
    this.boundary = hullOf(this.blocks.flatMap(setback));
  }

  table(index: number): ParkTable {
    const block = Math.floor(index / this.#tablesPerBlock);
    const inBlock = index % this.#tablesPerBlock;
    const row = Math.floor(inBlock / this.#columns);
    const column = inBlock % this.#columns;
    const [x, y] = itemAt(this.blocks, block).corner;
    const lane = column >= this.#columns / 2 ? LANE : 0;
    return {
      block,
      row,
      column,
      share: inBlock / this.#tablesPerBlock,
      corner: [x + column * COLUMN_PITCH + lane, y + row * ROW_PITCH],
    };
  }
}

function setback({ corner: [x, y], width, height }: ParkBlock): readonly Metres[] {
  return rectangle([x - SETBACK, y - SETBACK], width + 2 * SETBACK, height + 2 * SETBACK);
}

/** The grid cells nearest to a leaning ellipse, so that the park has an outline and not a square. */
function cells(count: number): readonly Metres[] {
  const reach = Math.ceil(Math.sqrt(count)) + 1;
  const all: Metres[] = [];
  for (let row = -reach; row <= reach; row++)
    for (let column = -reach; column <= reach; column++) all.push([column, row]);
  const farness = ([column, row]: Metres): number => {
    const x = column + 0.3 * row + 0.2;
    const y = row - 0.35;
    return x * x + 1.5 * y * y;
  };
  const near = all.toSorted((a, b) => farness(a) - farness(b)).slice(0, count);
  return near.sort((a, b) => a[1] - b[1] || (a[1] % 2 === 0 ? a[0] - b[0] : b[0] - a[0]));
}
