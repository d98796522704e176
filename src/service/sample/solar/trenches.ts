import { DAY, HOUR, instant } from "../base/instant.js";
import { itemAt, randomStreams } from "../base/random.js";
import { lengthOf, lineString, type Metres } from "../base/shapes.js";
import { component, ORPHAN_KEY, trench } from "../company/component-definitions.js";
import { datasetOf } from "../company/datasets.js";
import { PROGRESS, STATUS, VOLUME } from "../company/definition.js";
import { people } from "../company/people.js";
import type { FeatureSet } from "../features/feature-set.js";
import { fieldEdit, Journal, workMoment } from "../log/journal.js";
import { type ParkSetting, trenchLine } from "./park-lines.js";

/** When the remarks of some trenches were cleared. */
const CLEANED_UP = instant("2025-07-04T10:00:00Z");

interface Trench {
  readonly block: number;
  readonly rank: number;
  readonly share: number;
  readonly line: readonly Metres[];
}

/** The cable trenches of the solar park, from the design to the backfill. */
export function trenches({ seed, counts, firstIds, park, schedule }: ParkSetting): FeatureSet {
  const dataset = datasetOf("solar/trenches");
  const lives = randomStreams(seed, "trench edits");
  const firstOf = (block: number): number => Math.ceil((block * counts.trenches) / park.blocks.length);
  const trenchAt = (index: number): Trench => {
    const block = Math.floor((index * park.blocks.length) / counts.trenches);
    const rank = index - firstOf(block);
    const inBlock = firstOf(block + 1) - firstOf(block);
    return { block, rank, share: rank / inBlock, line: trenchLine(itemAt(park.blocks, block), rank, inBlock) };
  };
  return {
    count: counts.trenches,
    draft(index) {
      const { block, rank, line } = trenchAt(index);
      const metres = Math.round(lengthOf(line) * 10) / 10;
      const depth = rank === 0 ? 1.2 : 0.8;
      return {
        visible_id: `TR-${String(index + 1).padStart(4, "0")}`,
        dataset,
        geometry: lineString(park.frame, line),
        description: `Block ${block + 1}`,
        createdAt: schedule.designImported(block),
        unlogged: {
          [trench.kind.id]: rank === 0 ? "mv" : rank === 1 ? "main" : "feeder",
          [trench.length.id]: metres,
          // Some drawings give the depth as text.
          [trench.depth.id]: index % 23 === 7 ? `${depth} m` : depth,
          [component.contractor.id]: "Tierra Civil Works",
          ...(index % 9 === 4 ? { [ORPHAN_KEY]: `LV-TR-${1000 + index}` } : {}),
        },
        // The survey of autumn 2025 was loaded past the log.
        ...(index % 29 === 11 ? { contradicting: { [VOLUME]: Math.round(metres * 0.55 * 10) / 10 } } : {}),
      };
    },
    edits(index) {
      const { block, rank, share, line } = trenchAt(index);
      const random = lives(index);
      const journal = new Journal(firstIds.trenches + index, random);
      const foreman = itemAt(people.foremen, (block + 3) % people.foremen.length).id;
      const step = (status: string, day: number, progress: number) => {
        const edit = fieldEdit(
          journal,
          random,
          foreman,
          STATUS,
          status,
          workMoment(random, day + random.integer(0, 2) * DAY),
        );
        journal.knockOn(edit, PROGRESS, progress);
        return edit;
      };
      journal.system(STATUS, "PLANNED", schedule.designImported(block));
      const dug = step("EXCAVATED", schedule.trenchExcavated(block, share), 40);
      const volume = lengthOf(line) * (rank === 0 ? 0.96 : 0.48);
      journal.person(foreman, VOLUME, Math.round(volume), dug.at);
      journal.system(VOLUME, Math.round(volume * random.between(0.94, 1.12) * 10) / 10, dug.at + 21 * DAY);
      const laid = step("CABLE_LAID", schedule.cableLaid(block, share), 70);
      const reels = Array.from({ length: random.integer(1, 3) }, () => `R${random.integer(1000, 9999)}`);
      journal.person(foreman, trench.reels.id, reels, laid.at);
      if (random.chance(0.1)) journal.person(foreman, trench.remarks.id, "Water in trench", dug.at + 3 * HOUR);
      step("BACKFILLED", schedule.backfilled(block, share), 100);
      if (index % 11 === 2) journal.person(itemAt(people.surveyors, 0).id, trench.remarks.id, null, CLEANED_UP);
      return journal.edits();
    },
  };
}
