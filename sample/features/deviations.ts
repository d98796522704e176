import { type NonEmpty, type Random, randomStreams } from "../../src/core/random.js";
import { DAY, HOUR } from "../base/instant.js";
import { itemAt } from "../base/random.js";
import { datasetOf } from "../company/datasets.js";
import { STATUS } from "../company/definition.js";
import { deviation } from "../company/finding-definitions.js";
import { capturesOf, type DataProduct } from "../company/operations.js";
import { oneOf, people } from "../company/people.js";
import { type Journal, workMoment } from "../log/journal.js";
import type { FeatureKind } from "./feature-counts.js";
import { type FeatureDraft, type FeatureSet, featureSet, numbered, type Setting } from "./feature-set.js";
import { Sightings, type Span } from "./sightings.js";

/** What deviates, and how it is found. */
interface DeviationPlan<Cause extends Span> {
  /** What captures it. */
  readonly product: DataProduct;
  /** Keys of the captures' datasets, before their dates. */
  readonly dataset: string;
  readonly prefix: string;
  /** What its random numbers are called. */
  readonly stream: string;
  readonly cause: (random: Random, captures: readonly { readonly at: number }[]) => Cause;
  readonly geometry: (cause: Cause) => FeatureDraft["geometry"];
}

/** Differences between what was built and the design, found by captures and imported three days later. */
export function deviations<Cause extends Span>(
  setting: Setting,
  kind: FeatureKind,
  { product, dataset, prefix, stream, cause, geometry }: DeviationPlan<Cause>,
): FeatureSet {
  const captures = capturesOf(product);
  const datasets = captures.map(({ date }) => datasetOf(`${dataset}/${date}`));
  const causes = randomStreams(setting.seed, `${stream}s`);
  const measurements = randomStreams(setting.seed, `${stream} measurements`);
  const causeOf = (subject: number) => cause(causes(subject), captures);
  const sightings = new Sightings(setting.counts[kind], captures.length, causeOf);
  const importedAt = (capture: number) => itemAt(captures, capture).at + 3 * DAY;
  return featureSet(
    setting,
    kind,
    `${stream} edits`,
    (index) => {
      const { subject, capture } = sightings.at(index);
      return deviationDraft(measurements(subject), {
        visible_id: numbered(prefix, index, 4),
        dataset: itemAt(datasets, capture),
        createdAt: importedAt(capture),
        geometry: geometry(causeOf(subject)),
      });
    },
    (index, journal, random) => {
      const { capture, isLast } = sightings.at(index);
      deviationEdits(journal, random, importedAt(capture), isLast);
    },
  );
}

const KINDS: NonEmpty<string> = ["position", "position", "height", "height", "tilt", "missing"];
const TOLERANCE = 0.1;

/** A difference between what was built and the design, as measured. */
function deviationDraft(random: Random, base: Omit<FeatureDraft, "unlogged" | "description">): FeatureDraft {
  const horizontal = Math.round(random.between(0, 0.35) * 1000) / 1000;
  const vertical = Math.round(random.between(-0.25, 0.25) * 1000) / 1000;
  return {
    ...base,
    description: "",
    unlogged: {
      [deviation.kind.id]: random.pick(KINDS),
      [deviation.horizontal.id]: horizontal,
      [deviation.vertical.id]: vertical,
      [deviation.withinTolerance.id]: horizontal <= TOLERANCE && Math.abs(vertical) <= TOLERANCE,
    },
  };
}

/** Detected by the system, judged by a surveyor, then accepted or corrected. */
function deviationEdits(journal: Journal, random: Random, importedAt: number, isSettled: boolean): void {
  const surveyor = oneOf(random, people.surveyors);
  const judgedAt = workMoment(random, importedAt + random.integer(1, 10) * DAY);
  journal.system(STATUS, "NEW", importedAt);
  journal.person(surveyor, deviation.severity.id, random.integer(1, 5), judgedAt);
  journal.person(surveyor, STATUS, "CONFIRMED", judgedAt);
  if (!isSettled) return;
  const settledAt = workMoment(random, judgedAt + random.integer(5, 60) * DAY);
  const status = random.chance(0.5) ? "ACCEPTED" : "CORRECTED";
  const settled = journal.person(surveyor, STATUS, status, settledAt);
  if (status === "CORRECTED") journal.knockOn(settled, deviation.withinTolerance.id, true);
  else if (random.chance(0.2)) journal.person(surveyor, deviation.severity.id, null, settledAt + HOUR);
}
