import { constructionPace, ramped } from "../base/construction-pace.js";
import { DAY, instant } from "../base/instant.js";
import { itemAt, tenths } from "../base/random.js";
import { lengthOf, lineString, point } from "../base/shapes.js";
import { roadSection } from "../company/component-definitions.js";
import { datasetOf } from "../company/datasets.js";
import { STATUS, VOLUME } from "../company/definition.js";
import { products } from "../company/operations.js";
import { oneOf, people } from "../company/people.js";
import { deviations } from "../features/deviations.js";
import { type FeatureSet, featureSet, type Setting } from "../features/feature-set.js";
import type { RoadWorks } from "../grounds/road-works.js";
import { fieldEdit, workMoment } from "../log/journal.js";

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
export function roadSections(setting: RoadSetting): FeatureSet {
  const { counts, works } = setting;
  const dataset = datasetOf("road/sections");
  const metres = tenths(lengthOf(itemAt(works.sections, 0)));
  return featureSet(
    setting,
    "roadSections",
    "road section edits",
    (index) => {
      const from = tenths(index * metres);
      return {
        visible_id: `CH ${chainage(from)}`,
        dataset,
        geometry: lineString(works.frame, itemAt(works.sections, index)),
        description: "",
        createdAt: IMPORTED,
        unlogged: {
          [roadSection.chainageFrom.id]: from,
          [roadSection.chainageTo.id]: tenths(from + metres),
          [roadSection.length.id]: metres,
          [roadSection.width.id]: 7.3,
        },
      };
    },
    (index, journal, random) => {
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
      if (!random.chance(0.15)) return;
      const surveyor = oneOf(random, people.surveyors);
      journal.person(surveyor, roadSection.remarks.id, "Soft spot, geotextile laid", pace(start + 0.1));
    },
  );
}

/** Chainage as road builders write it: kilometres and metres. */
function chainage(metres: number): string {
  const whole = Math.floor(metres);
  const rest = (metres - Math.floor(metres / 1000) * 1000).toFixed(metres === whole ? 0 : 1);
  return `${Math.floor(metres / 1000)}+${rest.padStart(metres === whole ? 3 : 5, "0")}`;
}

/** What the features of the road are made from. */
interface RoadSetting extends Setting {
  readonly works: RoadWorks;
}

/** Deviations of the road from its design, found where work has begun. */
export function roadDeviations(setting: RoadSetting): FeatureSet {
  const { counts, works } = setting;
  return deviations(setting, "roadDeviations", {
    product: products.roadVisual,
    dataset: "road-deviations",
    prefix: "RV-",
    stream: "road deviation",
    cause(random, captures) {
      const first = random.integer(0, captures.length - 1);
      const built = Math.ceil((counts.roadSections * (first + 1)) / 8);
      const last = Math.min(captures.length - 1, first + random.integer(0, 1));
      return { first, last, section: random.integer(0, built - 1), left: random.between(-6, 6) };
    },
    geometry: ({ section, left }) => point(works.frame, works.beside(section, left)),
  });
}
