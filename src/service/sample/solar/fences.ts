import { DAY, instant } from "../base/instant.js";
import { itemAt, randomStreams } from "../base/random.js";
import { lengthOf, lineString } from "../base/shapes.js";
import { component, fence } from "../company/component-definitions.js";
import { datasetOf } from "../company/datasets.js";
import { STATUS } from "../company/definition.js";
import { people } from "../company/people.js";
import type { FeatureSet } from "../features/feature-set.js";
import { fieldEdit, Journal, workMoment } from "../log/journal.js";
import { fenceLines, type ParkSetting } from "./park-lines.js";

const IMPORTED = instant("2023-02-13T08:45:00Z");
const DUG = instant("2023-04-03");
const WEEKS = 20;

/** The perimeter fence of the solar park, section by section along its line. */
export function fences({ seed, counts, firstIds, park }: ParkSetting): FeatureSet {
  const dataset = datasetOf("solar/fences");
  const lives = randomStreams(seed, "fence edits");
  const lines = fenceLines(park, counts.fences);
  return {
    count: counts.fences,
    draft(index) {
      const line = itemAt(lines, index);
      return {
        visible_id: `FE-${String(index + 1).padStart(3, "0")}`,
        dataset,
        geometry: lineString(park.frame, line),
        description: "",
        createdAt: IMPORTED,
        unlogged: {
          [fence.length.id]: Math.round(lengthOf(line) * 10) / 10,
          [fence.height.id]: 2.2,
          [component.contractor.id]: "Tierra Civil Works",
        },
      };
    },
    edits(index) {
      const random = lives(index);
      const journal = new Journal(firstIds.fences + index, random);
      const foreman = itemAt(people.foremen, 0).id;
      const start = DUG + Math.floor((index / counts.fences) * WEEKS * 7) * DAY;
      journal.system(STATUS, "PLANNED", IMPORTED);
      fieldEdit(journal, random, foreman, STATUS, "POSTS_SET", workMoment(random, start));
      fieldEdit(journal, random, foreman, STATUS, "MESH_FIXED", workMoment(random, start + 9 * DAY));
      journal.person(
        foreman,
        fence.description.id,
        index % 8 === 3 ? "Gate for maintenance" : "Standard section",
        start + 9 * DAY,
      );
      return journal.edits();
    },
  };
}
