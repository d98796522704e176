import { itemAt } from "../base/random.js";
import { type Metres, splitLines } from "../base/shapes.js";
import type { Setting } from "../features/feature-set.js";
import { type ParkBlock, ROW_PITCH, type SolarPark } from "../grounds/solar-park.js";
import type { SolarSchedule } from "./solar-schedule.js";

/** How far a feeder runs south of a row of tables. */
const BEHIND_TABLES = 2.4;

/** The fence: its line in sections, from its most westerly corner. */
export function fenceLines(park: SolarPark, count: number): readonly (readonly Metres[])[] {
  return splitLines([[...park.boundary, itemAt(park.boundary, 0)]], count);
}

/** The roads: one between every two rows of blocks, and one along every block's west side. */
export function roadLines(park: SolarPark, count: number): readonly (readonly Metres[])[] {
  const rows = new Set(park.blocks.map((block) => block.corner[1]));
  const along = [...rows].map((y) => southOf(park.blocks.filter((block) => block.corner[1] === y)));
  const beside = park.blocks.map(({ corner: [x, y], height }): readonly Metres[] => [
    [x - 8, y - 8],
    [x - 8, y + height + 8],
  ]);
  return splitLines([...along, ...beside], count);
}

function southOf(row: readonly ParkBlock[]): readonly Metres[] {
  const { width, corner } = itemAt(row, 0);
  const xs = row.map((block) => block.corner[0]);
  const y = corner[1] - 8;
  return [
    [Math.min(...xs) - 8, y],
    [Math.max(...xs) + width + 8, y],
  ];
}

/**
 * The trenches of a block: the medium-voltage one along its south edge, the main one up its lane, and then
 * feeders to the left and right of the lane, between the rows of tables.
 */
export function trenchLine(block: ParkBlock, rank: number, trenchesInBlock: number): readonly Metres[] {
  const { corner, width, height } = block;
  const [x, y] = corner;
  const lane = x + width / 2;
  if (rank === 0) return straight([x, y - 3], [x + width, y - 3]);
  if (rank === 1) return straight([lane, y - 3], [lane, y + height]);
  const side = rank % 2 === 0 ? -1 : 1;
  const { row, from, to } = feeder(
    Math.floor((rank - 2) / 2),
    Math.ceil((trenchesInBlock - 2) / 2),
    height / ROW_PITCH,
  );
  const up = y + row * ROW_PITCH - BEHIND_TABLES;
  const reach = (side * (width - 4)) / 2;
  return straight([lane + from * reach, up], [lane + to * reach, up]);
}

/** Feeders are spread evenly over the rows; where there are more feeders than rows, several share a row end to end. */
function feeder(rank: number, count: number, rows: number): { row: number; from: number; to: number } {
  const inRow = Math.ceil(count / rows);
  const used = Math.ceil(count / inRow);
  const row = 1 + Math.floor(((Math.floor(rank / inRow) + 0.5) * rows) / used);
  return { row: Math.min(rows, row), from: (rank % inRow) / inRow, to: ((rank % inRow) + 1) / inRow };
}

function straight(from: Metres, to: Metres): readonly Metres[] {
  return [from, to];
}

/** What the features of the solar park are made from. */
export interface ParkSetting extends Setting {
  readonly park: SolarPark;
  readonly schedule: SolarSchedule;
}
