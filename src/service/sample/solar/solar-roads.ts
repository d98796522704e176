import { DAY, dateText, instant } from "../base/instant.js";
import { itemAt, randomStreams } from "../base/random.js";
import { lengthOf, lineString } from "../base/shapes.js";
import { component, solarRoad } from "../company/component-definitions.js";
import { datasetOf } from "../company/datasets.js";
import { STATUS } from "../company/definition.js";
import { people } from "../company/people.js";
import type { FeatureSet } from "../features/feature-set.js";
import { fieldEdit, Journal, workMoment } from "../log/journal.js";
import { type ParkSetting, roadLines } from "./park-lines.js";

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
