import type { Geometry } from "geojson";
import { type Random, randomStreams } from "../../src/core/random.js";
import type { SampleDataset } from "../company/datasets.js";
import { type Edit, Journal } from "../log/journal.js";
import type { ByKind, FeatureKind } from "./feature-counts.js";

/** A feature before its edits are applied. */
export interface FeatureDraft {
  readonly visible_id: string;
  readonly dataset: SampleDataset;
  readonly geometry: Geometry;
  readonly description: string;
  /** When the service created the record, in microseconds. */
  readonly createdAt: number;
  /** Values set at creation, which the log does not contain. */
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

/**
 * Returns features of one kind, each with separate random numbers for its edits.
 *
 * @param stream name of these random numbers
 * @param live writes the edits of a feature
 */
export function featureSet(
  { seed, counts, firstIds }: Setting,
  kind: FeatureKind,
  stream: string,
  draft: FeatureSet["draft"],
  live: (index: number, journal: Journal, random: Random) => void,
): FeatureSet {
  const lives = randomStreams(seed, stream);
  return {
    count: counts[kind],
    draft,
    edits(index) {
      const random = lives(index);
      const journal = new Journal(firstIds[kind] + index, random);
      live(index, journal, random);
      return journal.edits();
    },
  };
}

/** The visible name of a feature: a prefix and its number, from 1. */
export function numbered(prefix: string, index: number, digits: number): string {
  return prefix + String(index + 1).padStart(digits, "0");
}
