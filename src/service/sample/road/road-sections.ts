import { constructionPace, ramped } from "../base/construction-pace.js";
import { DAY, instant } from "../base/instant.js";
import { itemAt, randomStreams } from "../base/random.js";
import { lengthOf, lineString, point } from "../base/shapes.js";
import { roadSection } from "../company/component-definitions.js";
import { datasetOf } from "../company/datasets.js";
import { STATUS, VOLUME } from "../company/definition.js";
import { capturesOf, products } from "../company/operations.js";
import { oneOf, people } from "../company/people.js";
import { deviationDraft, deviationEdits, type FeatureSet, type Setting } from "../features/feature-set.js";
import { Sightings, type Span } from "../features/sightings.js";
import type { RoadWorks } from "../grounds/road-works.js";
import { fieldEdit, Journal, workMoment } from "../log/journal.js";

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

/** What the features of the road are made from. */
interface RoadSetting extends Setting {
  readonly works: RoadWorks;
}

/** Deviations of the road from its design, found where work has begun. */
export function roadDeviations({ seed, counts, firstIds, works }: RoadSetting): FeatureSet {
  const captures = capturesOf(products.roadVisual);
  const datasets = captures.map((capture) => datasetOf(`road-deviations/${capture.date}`));
  const causes = randomStreams(seed, "road deviations");
  const measurements = randomStreams(seed, "road deviation measurements");
  const lives = randomStreams(seed, "road deviation edits");
  const cause = (subject: number): Span & { readonly section: number; readonly left: number } => {
    const random = causes(subject);
    const first = random.integer(0, captures.length - 1);
    const built = Math.ceil((counts.roadSections * (first + 1)) / 8);
    const last = Math.min(captures.length - 1, first + random.integer(0, 1));
    return { first, last, section: random.integer(0, built - 1), left: random.between(-6, 6) };
  };
  const sightings = new Sightings(counts.roadDeviations, captures.length, cause);
  return {
    count: counts.roadDeviations,
    draft(index) {
      const { subject, capture } = sightings.at(index);
      const { section, left } = cause(subject);
      return deviationDraft(measurements(subject), {
        visible_id: `RV-${String(index + 1).padStart(4, "0")}`,
        dataset: itemAt(datasets, capture),
        createdAt: itemAt(captures, capture).at + 3 * DAY,
        geometry: point(works.frame, works.beside(section, left)),
      });
    },
    edits(index) {
      const { capture, isLast } = sightings.at(index);
      const random = lives(index);
      const journal = new Journal(firstIds.roadDeviations + index, random);
      deviationEdits(journal, random, itemAt(captures, capture).at + 3 * DAY, isLast);
      return journal.edits();
    },
  };
}
