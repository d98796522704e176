import type { Operation } from "../../src/api/resources.js";
import { instant } from "../base/instant.js";
import { FOG_DATE, products } from "../company/operations.js";
import type { SolarPark } from "../grounds/solar-park.js";
import type { SolarSchedule } from "./solar-schedule.js";

/** Whether a block was in the fog on the day of it: the last third of them. */
export function isInFog(park: SolarPark, block: number): boolean {
  return block >= Math.ceil((park.blocks.length * 2) / 3);
}

/**
 * Indexes of the blocks that a capture of the park flew over or is to fly over. A thermal flight sees only what is on the
 * grid.
 */
export function flownBlocks(operation: Operation, park: SolarPark, schedule: SolarSchedule): readonly number[] {
  const all = park.blocks.map((_, block) => block);
  const { data_product_id, status, date_captured } = operation;
  if (data_product_id !== products.solarThermal.id || date_captured === null) return all;
  if (status === "IN_REVIEW") return all.slice(1, 2);
  const energised = all.filter((block) => schedule.commissioned(block) < instant(date_captured));
  return date_captured === FOG_DATE ? energised.filter((block) => !isInFog(park, block)) : energised;
}
