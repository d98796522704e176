import { DAY } from "../base/instant.js";
import { itemAt } from "../base/item-at.js";
import { point } from "../base/local-grid.js";
import { randomStreams } from "../base/random.js";
import { datasetOf } from "../company/datasets.js";
import { capturesOf, products } from "../company/operations.js";
import { deviationDraft, deviationEdits } from "../features/deviation.js";
import type { FeatureSet } from "../features/feature-set.js";
import { Sightings, type Span } from "../features/sightings.js";
import { Journal } from "../log/journal.js";
import type { RoadSetting } from "./road-setting.js";

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
