import { turbine } from "./component-definitions.js";
import { datasetOf } from "./datasets.js";
import type { FeatureSet } from "./feature-set.js";
import { point } from "./frame.js";
import { DAY, instant } from "./instant.js";
import { itemAt } from "./item-at.js";
import { Journal } from "./journal.js";
import { STATUS } from "./keys.js";
import { people } from "./people.js";
import { randomStreams } from "./random.js";
import { turbineName } from "./wind-farm.js";
import type { WindSetting } from "./wind-setting.js";
import { workMoment } from "./work-moment.js";

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
