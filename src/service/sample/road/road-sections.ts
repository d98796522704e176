import { constructionPace, ramped } from "../base/construction-pace.js";
import { DAY, instant } from "../base/instant.js";
import { itemAt } from "../base/item-at.js";
import { lineString } from "../base/local-grid.js";
import { randomStreams } from "../base/random.js";
import { lengthOf } from "../base/shapes.js";
import { roadSection } from "../company/component-definitions.js";
import { datasetOf } from "../company/datasets.js";
import { STATUS, VOLUME } from "../company/keys.js";
import { oneOf, people } from "../company/people.js";
import type { FeatureSet } from "../features/feature-set.js";
import { fieldEdit } from "../log/field-edit.js";
import { Journal } from "../log/journal.js";
import { workMoment } from "../log/work-moment.js";
import type { RoadSetting } from "./road-setting.js";

const IMPORTED = instant("2025-01-20T10:30:00Z");
const pace = constructionPace("2025-01-27", "2027-05-28");

/** Each step and how far behind the first it runs, as a share of the whole project. */
const STEPS = [
  ["CLEARED", 0],
  ["EARTHWORKS", 0.06],
  ["SUB_BASE", 0.15],
  ["BASE_COURSE", 0.22],
  ["SURFACED", 0.3],
] as const;

/** The carriageway by chainage, still under construction at present. */
export function roadSections({ seed, counts, firstIds, works }: RoadSetting): FeatureSet {
  const dataset = datasetOf("road/sections");
  const lives = randomStreams(seed, "road section edits");
  const metres = Math.round(lengthOf(itemAt(works.sections, 0)) * 10) / 10;
  return {
    count: counts.roadSections,
    draft(index) {
      const from = Math.round(index * metres * 10) / 10;
      return {
        visible_id: `CH ${chainage(from)}`,
        dataset,
        geometry: lineString(works.frame, itemAt(works.sections, index)),
        description: "",
        createdAt: IMPORTED,
        unlogged: {
          [roadSection.chainageFrom.id]: from,
          [roadSection.chainageTo.id]: Math.round((from + metres) * 10) / 10,
          [roadSection.length.id]: metres,
          [roadSection.width.id]: 7.3,
        },
      };
    },
    edits(index) {
      const random = lives(index);
      const journal = new Journal(firstIds.roadSections + index, random);
      const start = 0.7 * ramped(index / counts.roadSections);
      journal.system(STATUS, "PLANNED", IMPORTED);
      for (const [status, behind] of STEPS) {
        const at = workMoment(random, pace(start + behind) + random.integer(0, 4) * DAY);
        const foreman = oneOf(random, people.foremen);
        const edit = fieldEdit(journal, random, foreman, STATUS, status, at);
        if (status === "EARTHWORKS") journal.knockOn(edit, VOLUME, Math.round(metres * random.between(18, 46)));
        if (status === "BASE_COURSE") {
          const layers = { sub_base: random.integer(145, 165), base: random.integer(195, 215) };
          journal.person(foreman, roadSection.layers.id, layers, at);
        }
      }
      if (random.chance(0.15))
        journal.person(
          oneOf(random, people.surveyors),
          roadSection.remarks.id,
          "Soft spot, geotextile laid",
          pace(start + 0.1),
        );
      return journal.edits();
    },
  };
}

/** Chainage as road builders write it: kilometres and metres. */
function chainage(metres: number): string {
  const whole = Math.floor(metres);
  const rest = (metres - Math.floor(metres / 1000) * 1000).toFixed(metres === whole ? 0 : 1);
  return `${Math.floor(metres / 1000)}+${rest.padStart(metres === whole ? 3 : 5, "0")}`;
}
