import type { Geometry } from "geojson";
import { DAY, HOUR } from "../base/instant.js";
import type { NonEmpty, Random } from "../base/random.js";
import type { SampleDataset } from "../company/datasets.js";
import { STATUS } from "../company/definition.js";
import { deviation } from "../company/finding-definitions.js";
import { oneOf, people } from "../company/people.js";
import { type Edit, type Journal, workMoment } from "../log/journal.js";
import type { ByKind } from "./feature-counts.js";

/** A feature before its edits are applied. */
export interface FeatureDraft {
  readonly visible_id: string;
  readonly dataset: SampleDataset;
  readonly geometry: Geometry;
  readonly description: string;
  /** When the service created the record, in microseconds. */
  readonly createdAt: number;
  /** Values set at creation, which the log does not tell. */
  readonly unlogged: Readonly<Record<string, unknown>>;
  /** Values that contradict the log, as after a migration past it. */
  readonly contradicting?: Readonly<Record<string, unknown>>;
}

/** Features of one kind. Each is computed from its index alone, so none needs to be kept. */
export interface FeatureSet {
  readonly count: number;
  draft(index: number): FeatureDraft;
  edits(index: number): readonly Edit[];
}

/** What all features are made from. */
export interface Setting {
  readonly seed: number;
  readonly counts: ByKind;
  readonly firstIds: ByKind;
}

const KINDS: NonEmpty<string> = ["position", "position", "height", "height", "tilt", "missing"];
const TOLERANCE = 0.1;

/** A difference between what was built and the design, as measured. */
export function deviationDraft(random: Random, base: Omit<FeatureDraft, "unlogged" | "description">): FeatureDraft {
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
export function deviationEdits(journal: Journal, random: Random, importedAt: number, isSettled: boolean): void {
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
