import { DAY, dateText, HOUR, instant } from "../base/instant.js";
import { itemAt, tenths } from "../base/random.js";
import { lengthOf, lineString, type Metres, splitLines } from "../base/shapes.js";
import { component, fence, ORPHAN_KEY, solarRoad, trench } from "../company/component-definitions.js";
import { datasetOf } from "../company/datasets.js";
import { PROGRESS, STATUS, VOLUME } from "../company/definition.js";
import { people } from "../company/people.js";
import { type FeatureSet, featureSet, numbered, type Setting } from "../features/feature-set.js";
import { type ParkBlock, ROW_PITCH, type SolarPark } from "../grounds/solar-park.js";
import { fieldEdit } from "../log/journal.js";
import { parkMoment, plannedDate, type SolarSchedule } from "./solar-schedule.js";

/** What the features of the solar park are made from. */
export interface ParkSetting extends Setting {
  readonly park: SolarPark;
  readonly schedule: SolarSchedule;
  /** The contract's. */
  readonly baseline: SolarSchedule;
}

const FENCES_IMPORTED = instant("2023-02-13T08:45:00Z");
const FENCES_DUG = instant("2023-04-03");
const FENCE_WEEKS = 20;
const FENCE_WEEKS_PLANNED = 17;

/** The perimeter fence of the solar park, section by section along its line. */
export function fences(setting: ParkSetting): FeatureSet {
  const { counts, park } = setting;
  const dataset = datasetOf("solar/fences");
  const lines = fenceLines(park, counts.fences);
  return featureSet(
    setting,
    "fences",
    "fence edits",
    (index) => {
      const line = itemAt(lines, index);
      return {
        visible_id: numbered("FE-", index, 3),
        dataset,
        geometry: lineString(park.frame, line),
        description: "",
        createdAt: FENCES_IMPORTED,
        unlogged: {
          [fence.length.id]: tenths(lengthOf(line)),
          [fence.height.id]: 2.2,
          [fence.plannedFinish.id]: plannedDate(
            FENCES_DUG + (Math.floor((index / counts.fences) * FENCE_WEEKS_PLANNED * 7) + 9) * DAY,
          ),
          [component.contractor.id]: "Tierra Civil Works",
        },
      };
    },
    (index, journal, random) => {
      const foreman = itemAt(people.foremen, 0).id;
      const start = FENCES_DUG + Math.floor((index / counts.fences) * FENCE_WEEKS * 7) * DAY;
      const description = index % 8 === 3 ? "Gate for maintenance" : "Standard section";
      journal.system(STATUS, "PLANNED", FENCES_IMPORTED);
      fieldEdit(journal, random, foreman, STATUS, "POSTS_SET", parkMoment(random, start));
      fieldEdit(journal, random, foreman, STATUS, "MESH_FIXED", parkMoment(random, start + 9 * DAY));
      journal.person(foreman, fence.description.id, description, start + 9 * DAY);
    },
  );
}

const ROADS_IMPORTED = instant("2023-02-13T08:50:00Z");
const ROADS_START = instant("2023-03-13");
const ROAD_DAYS = 420;
const ROAD_DAYS_PLANNED = 385;

/** The gravel roads between the blocks of the solar park. */
export function solarRoads(setting: ParkSetting): FeatureSet {
  const { counts, park } = setting;
  const dataset = datasetOf("solar/roads");
  const lines = roadLines(park, counts.roads);
  return featureSet(
    setting,
    "roads",
    "solar road edits",
    (index) => {
      const line = itemAt(lines, index);
      return {
        visible_id: numbered("RD-", index, 3),
        dataset,
        geometry: lineString(park.frame, line),
        description: "",
        createdAt: ROADS_IMPORTED,
        unlogged: {
          [solarRoad.length.id]: tenths(lengthOf(line)),
          [solarRoad.width.id]: 4,
          [solarRoad.plannedFinish.id]: plannedDate(
            ROADS_START + (Math.floor((index / counts.roads) * ROAD_DAYS_PLANNED) + 12) * DAY,
          ),
        },
      };
    },
    (index, journal, random) => {
      const foreman = itemAt(people.foremen, 1).id;
      const inspector = itemAt(people.inspectors, 0).id;
      const start = ROADS_START + Math.floor((index / counts.roads) * ROAD_DAYS) * DAY;
      journal.system(STATUS, "PLANNED", ROADS_IMPORTED);
      fieldEdit(journal, random, foreman, STATUS, "FORMATION", parkMoment(random, start));
      const done = fieldEdit(journal, random, foreman, STATUS, "GRAVEL_LAID", parkMoment(random, start + 12 * DAY));
      const passed = journal.person(inspector, component.inspection.id, "pass", done.at + 6 * DAY);
      journal.knockOn(passed, component.inspectedOn.id, dateText(passed.at));
      if (random.chance(0.2)) journal.person(foreman, solarRoad.remarks.id, "Culvert added", done.at);
    },
  );
}

/** When the remarks of some trenches were cleared. */
const CLEANED_UP = instant("2025-07-04T10:00:00Z");

interface Trench {
  readonly block: number;
  readonly rank: number;
  readonly share: number;
  readonly line: readonly Metres[];
}

/** The cable trenches of the solar park, from the design to the backfill. */
export function trenches(setting: ParkSetting): FeatureSet {
  const { counts, park, schedule, baseline } = setting;
  const dataset = datasetOf("solar/trenches");
  const firstOf = (block: number): number => Math.ceil((block * counts.trenches) / park.blocks.length);
  const trenchAt = (index: number): Trench => {
    const block = Math.floor((index * park.blocks.length) / counts.trenches);
    const rank = index - firstOf(block);
    const inBlock = firstOf(block + 1) - firstOf(block);
    return { block, rank, share: rank / inBlock, line: trenchLine(itemAt(park.blocks, block), rank, inBlock) };
  };
  return featureSet(
    setting,
    "trenches",
    "trench edits",
    (index) => {
      const { block, rank, share, line } = trenchAt(index);
      const metres = tenths(lengthOf(line));
      const depth = rank === 0 ? 1.2 : 0.8;
      return {
        visible_id: numbered("TR-", index, 4),
        dataset,
        geometry: lineString(park.frame, line),
        description: `Block ${block + 1}`,
        createdAt: schedule.designImported(block),
        unlogged: {
          [trench.kind.id]: rank === 0 ? "mv" : rank === 1 ? "main" : "feeder",
          [trench.length.id]: metres,
          // Some drawings give the depth as text.
          [trench.depth.id]: index % 23 === 7 ? `${depth} m` : depth,
          [trench.plannedFinish.id]: plannedDate(baseline.backfilled(block, share)),
          [component.contractor.id]: "Tierra Civil Works",
          ...(index % 9 === 4 ? { [ORPHAN_KEY]: `LV-TR-${1000 + index}` } : {}),
        },
        // The survey of autumn 2025 was loaded past the log.
        ...(index % 29 === 11 ? { contradicting: { [VOLUME]: tenths(metres * 0.55) } } : {}),
      };
    },
    (index, journal, random) => {
      const { block, rank, share, line } = trenchAt(index);
      const foreman = itemAt(people.foremen, (block + 3) % people.foremen.length).id;
      const step = (status: string, day: number, progress: number) => {
        const at = parkMoment(random, day + random.integer(0, 2) * DAY);
        const edit = fieldEdit(journal, random, foreman, STATUS, status, at);
        journal.knockOn(edit, PROGRESS, progress);
        return edit;
      };
      journal.system(STATUS, "PLANNED", schedule.designImported(block));
      const dug = step("EXCAVATED", schedule.trenchExcavated(block, share), 40);
      const volume = lengthOf(line) * (rank === 0 ? 0.96 : 0.48);
      journal.person(foreman, VOLUME, Math.round(volume), dug.at);
      journal.system(VOLUME, tenths(volume * random.between(0.94, 1.12)), dug.at + 21 * DAY);
      const laid = step("CABLE_LAID", schedule.cableLaid(block, share), 70);
      const reels = Array.from({ length: random.integer(1, 3) }, () => `R${random.integer(1000, 9999)}`);
      journal.person(foreman, trench.reels.id, reels, laid.at);
      if (random.chance(0.1)) journal.person(foreman, trench.remarks.id, "Water in trench", dug.at + 3 * HOUR);
      step("BACKFILLED", schedule.backfilled(block, share), 100);
      if (index % 11 === 2) journal.person(itemAt(people.surveyors, 0).id, trench.remarks.id, null, CLEANED_UP);
    },
  );
}

/** How far a feeder runs south of a row of tables. */
const BEHIND_TABLES = 2.4;

/** The fence: its line in sections, from its most westerly corner. */
function fenceLines(park: SolarPark, count: number): readonly (readonly Metres[])[] {
  return splitLines([[...park.boundary, itemAt(park.boundary, 0)]], count);
}

/** The roads: one between every two rows of blocks, and one along every block's west side. */
function roadLines(park: SolarPark, count: number): readonly (readonly Metres[])[] {
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
function trenchLine(block: ParkBlock, rank: number, trenchesInBlock: number): readonly Metres[] {
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
