import type { ColumnTable } from "arquero";
import type { Diagnostic } from "../../core/diagnostic.js";

/** Options of `diffSnapshots()`. */
export interface DiffSnapshotsOptions {
  /** The earlier generation. Default: the one before `to`. */
  readonly from?: number | undefined;
  /** The later generation. Default: the current one. */
  readonly to?: number | undefined;
  /** Whether person data is replaced by pseudonyms. Default: false, as stored. */
  readonly redact?: boolean | undefined;
}

/** A compared generation. */
export interface ComparedGeneration {
  /** Number of the generation, from 1. */
  readonly generation: number;
  /** When the records were read from the service. */
  readonly readAt: Date;
}

/** Counts of differences between two generations. */
export interface DiffCounts {
  /** Features that the earlier generation never had. */
  readonly new: number;
  /** Features that were no longer returned. */
  readonly gone: number;
  /** Features that were gone in the earlier generation. */
  readonly returned: number;
  /** Features of both generations with a different field, property or geometry. */
  readonly changed: number;
  /** Features of both generations with a different geometry. */
  readonly geometries: number;
  /** Property definitions that are new, gone or changed. */
  readonly definitions: number;
  /** Sites, operations, blocks and datasets that are new, gone or changed. */
  readonly records: number;
  /** New changes of the log. */
  readonly changes: number;
}

/** Differences between two generations of a snapshot. Rows are in ascending order of ids, changes in valid order. */
export interface SnapshotDiff {
  /** The earlier generation. */
  readonly from: ComparedGeneration;
  /** The later generation. */
  readonly to: ComparedGeneration;
  /** Counts of differences. */
  readonly counts: DiffCounts;
  /** Whether there are differences. The times of reading do not count. */
  readonly isDifferent: boolean;
  /**
   * A row per feature that differs: `id`, `visible_id`, `site_id`, `semantic_type`, `change` (`new`, `gone`, `returned`
   * or `changed`), `what` (an array of the names of changed fields and properties; empty unless `changed`) and
   * `gone_at` (when the feature was found to be gone, or null).
   */
  readonly features: ColumnTable;
  /**
   * A row per feature of both generations whose geometry differs: `id`, `visible_id`, `semantic_type`, `moved_m`
   * (distance between the centroids in meters; null if one of the geometries is invalid), `area_before_m2`,
   * `area_after_m2`, `length_before_m`, `length_after_m` (including outlines of polygons; null without a geometry).
   */
  readonly geometries: ColumnTable;
  /**
   * A row per field of a property definition that differs: `property_key`, `name`, `dataset_id`, `change` (`new`,
   * `gone` or `changed`), `field`, `before`, `after`. New and gone definitions have one row without a field.
   */
  readonly definitions: ColumnTable;
  /**
   * The same for sites, operations, blocks and datasets: `resource`, `id`, `name`, `change`, `field`, `before`,
   * `after`.
   */
  readonly records: ColumnTable;
  /**
   * New changes of the log: `change_id`, `id` (of the feature), `visible_id`, `column` (name of the property),
   * `property_key`, `value`, `system`, `user_id`, `caused_by_change_id`, `created_at`.
   */
  readonly changes: ColumnTable;
  /** Problems: changes of the log that are missing in the later generation, a generation from another origin. */
  readonly diagnostics: readonly Diagnostic[];
}
