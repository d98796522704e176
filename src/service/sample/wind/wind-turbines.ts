import { DAY, instant } from "../base/instant.js";
import { itemAt } from "../base/item-at.js";
import { point } from "../base/local-grid.js";
import { randomStreams } from "../base/random.js";
import { turbine } from "../company/component-definitions.js";
import { datasetOf } from "../company/datasets.js";
import { STATUS } from "../company/keys.js";
import { people } from "../company/people.js";
import type { FeatureSet } from "../features/feature-set.js";
import { turbineName } from "../grounds/wind-farm.js";
import { Journal } from "../log/journal.js";
import { workMoment } from "../log/work-moment.js";
import type { WindSetting } from "./wind-setting.js";

const IMPORTED = instant("2024-03-04T10:30:00Z");

/** The turbines, with a stop for repair now and then. */
export function windTurbines({ seed, counts, firstIds, farm }: WindSetting): FeatureSet {
  const dataset = datasetOf("wind/turbines");
  const lives = randomStreams(seed, "turbine edits");
  return {
    count: counts.turbines,
    draft: (index) => ({
      visible_id: turbineName(index),
      dataset,
      geometry: point(farm.frame, itemAt(farm.turbines, index)),
      description: "Kestrel K-117",
      createdAt: IMPORTED,
      unlogged: {
        [turbine.hubHeight.id]: 91.5,
        [turbine.rotorDiameter.id]: 117,
        [turbine.ratedPower.id]: 4200,
        [turbine.serial.id]: `K117-${20_410 + index * 7}`,
      },
    }),
    edits(index) {
      const random = lives(index);
      const journal = new Journal(firstIds.turbines + index, random);
      const manager = itemAt(people.siteManagers, 1).id;
      let at = IMPORTED;
      journal.system(STATUS, "IN_OPERATION", at);
      for (let stop = random.integer(0, 3); stop > 0; stop--) {
        at = workMoment(random, at + random.integer(60, 240) * DAY);
        journal.person(manager, STATUS, "STOPPED", at);
        at = workMoment(random, at + random.integer(1, 12) * DAY);
        journal.person(manager, STATUS, "IN_OPERATION", at);
      }
      return journal.edits();
    },
  };
}
