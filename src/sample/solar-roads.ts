import { component, solarRoad } from "./component-definitions.js";
import { datasetOf } from "./datasets.js";
import type { FeatureSet } from "./feature-set.js";
import { fieldEdit } from "./field-edit.js";
import { lineString } from "./frame.js";
import { DAY, dateText, instant } from "./instant.js";
import { itemAt } from "./item-at.js";
import { Journal } from "./journal.js";
import { STATUS } from "./keys.js";
import { roadLines } from "./park-lines.js";
import type { ParkSetting } from "./park-setting.js";
import { people } from "./people.js";
import { randomStreams } from "./random.js";
import { lengthOf } from "./shapes.js";
import { workMoment } from "./work-moment.js";

const IMPORTED = instant("2023-02-13T08:50:00Z");
const START = instant("2023-03-13");
const DAYS = 420;

/** The gravel roads between the blocks of the solar park. */
export function solarRoads({ seed, counts, firstIds, park }: ParkSetting): FeatureSet {
  const dataset = datasetOf("solar/roads");
  const lives = randomStreams(seed, "solar road edits");
  const lines = roadLines(park, counts.roads);
  return {
    count: counts.roads,
    draft(index) {
      const line = itemAt(lines, index);
      return {
        visible_id: `RD-${String(index + 1).padStart(3, "0")}`,
        dataset,
        geometry: lineString(park.frame, line),
        description: "",
        createdAt: IMPORTED,
        unlogged: { [solarRoad.length.id]: Math.round(lengthOf(line) * 10) / 10, [solarRoad.width.id]: 4 },
      };
    },
    edits(index) {
      const random = lives(index);
      const journal = new Journal(firstIds.roads + index, random);
      const foreman = itemAt(people.foremen, 1).id;
      const start = START + Math.floor((index / counts.roads) * DAYS) * DAY;
      journal.system(STATUS, "PLANNED", IMPORTED);
      fieldEdit(journal, random, foreman, STATUS, "FORMATION", workMoment(random, start));
      const done = fieldEdit(journal, random, foreman, STATUS, "GRAVEL_LAID", workMoment(random, start + 12 * DAY));
      const passed = journal.person(
        itemAt(people.inspectors, 0).id,
        component.inspection.id,
        "pass",
        done.at + 6 * DAY,
      );
      journal.knockOn(passed, component.inspectedOn.id, dateText(passed.at));
      if (random.chance(0.2)) journal.person(foreman, solarRoad.remarks.id, "Culvert added", done.at);
      return journal.edits();
    },
  };
}
