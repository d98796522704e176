import type { Geometry } from "geojson";
import type { SampleDataset } from "../company/sample-dataset.js";
import type { Edit } from "../log/edit.js";

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
