import { constructionPace, ramped } from "../base/construction-pace.js";
import { DAY, HOUR, instant } from "../base/instant.js";
import type { ParkTable, SolarPark } from "../grounds/solar-park.js";

const IMPORTED = instant("2023-02-13T08:30:00Z");
const pace = constructionPace("2023-03-06", "2025-06-27");

/** When each part of the solar park is built: block by block, each step some weeks after the one before. */
export class SolarSchedule {
  readonly #blockCount: number;

  constructor(park: SolarPark) {
    this.#blockCount = park.blocks.length;
  }

  /** The design of a block is imported in one go, before work begins. */
  designImported(block: number): number {
    return IMPORTED + block * HOUR;
  }

  trenchExcavated(block: number, share: number): number {
    return this.#date(block, share * 0.5, 0);
  }

  cableLaid(block: number, share: number): number {
    return this.#date(block, 0.4 + share * 0.5, 0.03);
  }

  backfilled(block: number, share: number): number {
    return this.#date(block, 0.6 + share * 0.4, 0.06);
  }

  piles({ block, share }: ParkTable): number {
    return this.#date(block, share, 0.04);
  }

  structure({ block, share }: ParkTable): number {
    return this.#date(block, share, 0.1);
  }

  modules({ block, share }: ParkTable): number {
    return this.#date(block, share, 0.16);
  }

  /** A block goes on the grid as a whole: one moment for all of its tables. */
  commissioned(block: number): number {
    return this.#date(block, 1, 0.2) + 14 * DAY + 10 * HOUR;
  }

  #date(block: number, share: number, step: number): number {
    return pace(0.78 * ramped((block + share) / this.#blockCount) + step);
  }
}
