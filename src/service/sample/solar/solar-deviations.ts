import { DAY } from "../base/instant.js";
import { itemAt, randomStreams } from "../base/random.js";
import { polygon, rectangle } from "../base/shapes.js";
import { datasetOf } from "../company/datasets.js";
import { capturesOf, products } from "../company/operations.js";
import { deviationDraft, deviationEdits, type FeatureSet } from "../features/feature-set.js";
import { Sightings, type Span } from "../features/sightings.js";
import { TABLE_DEPTH, TABLE_WIDTH } from "../grounds/solar-park.js";
import { Journal } from "../log/journal.js";
import type { ParkSetting } from "./park-lines.js";

/** As-built deviations of the tables: found by the first capture that shows the structure, and at times by the next. */
export function solarDeviations({ seed, counts, firstIds, park, schedule }: ParkSetting): FeatureSet {
  const captures = capturesOf(products.solarVisual);
  const datasets = captures.map((capture) => datasetOf(`solar-deviations/${capture.date}`));
  const causes = randomStreams(seed, "deviations");
  const measurements = randomStreams(seed, "deviation measurements");
  const lives = randomStreams(seed, "deviation edits");
  const cause = (subject: number): Span & { readonly table: number } => {
    const random = causes(subject);
    const table = random.integer(0, counts.panels - 1);
    const built = schedule.structure(park.table(table)) + 6 * DAY;
    const first = captures.findIndex((capture) => capture.at > built);
    return { table, first, last: Math.min(captures.length - 1, first + (random.chance(0.3) ? 1 : 0)) };
  };
  const sightings = new Sightings(counts.deviations, captures.length, cause);
  return {
    count: counts.deviations,
    draft(index) {
      const { subject, capture } = sightings.at(index);
      const [x, y] = park.table(cause(subject).table).corner;
      return deviationDraft(measurements(subject), {
        visible_id: `DV-${String(index + 1).padStart(4, "0")}`,
        dataset: itemAt(datasets, capture),
        createdAt: itemAt(captures, capture).at + 3 * DAY,
        geometry: polygon(park.frame, rectangle([x - 0.3, y - 0.3], TABLE_WIDTH + 0.6, TABLE_DEPTH + 0.6)),
      });
    },
    edits(index) {
      const { capture, isLast } = sightings.at(index);
      const random = lives(index);
      const journal = new Journal(firstIds.deviations + index, random);
      deviationEdits(journal, random, itemAt(captures, capture).at + 3 * DAY, isLast);
      return journal.edits();
    },
  };
}
