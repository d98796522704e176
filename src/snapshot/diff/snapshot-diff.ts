import type { ColumnTable } from "arquero";
import type { Finding } from "../../core/finding.js";

/** Options of `diffSnapshots()`. */
export interface DiffSnapshotsOptions {
  /** The earlier state; the one that is kept before `to` if absent. */
  readonly from?: number | undefined;
  /** The later state; the present one if absent. */
  readonly to?: number | undefined;
  /** Whether pseudonyms stand in place of person data. Default false: as it is stored. */
  readonly redact?: boolean | undefined;
}

/** One of the two states that are compared. */
export interface ComparedState {
  /** Its number, from 1. */
  readonly generation: number;
  /** When its records were read from the service. */
  readonly readAt: Date;
}

/** How much differs between two states of a snapshot. */
export interface DiffCounts {
  /** Features that the earlier state never had. */
  readonly new: number;
  /** Features that no longer came. */
  readonly gone: number;
  /** Features that were gone in the earlier state. */
  readonly returned: number;
  /** Features of both states with another field, property or geometry. */
  readonly changed: number;
  /** Features of both states with another geometry. */
  readonly geometries: number;
  /** Property definitions that are new, gone or changed. */
  readonly definitions: number;
  /** Sites, operations, blocks and datasets that are new, gone or changed. */
  readonly records: number;
  /** Changes of the log that came in. */
  readonly changes: number;
}

/** What differs between two states of a snapshot. Rows are in ascending order of ids, changes in valid order. */
export interface SnapshotDiff {
  /** The earlier state. */
  readonly from: ComparedState;
  /** The later state. */
  readonly to: ComparedState;
  /** How much differs. */
  readonly counts: DiffCounts;
  /** Whether anything differs at all. The times of reading always do, and do not count. */
  readonly isDifferent: boolean;
  /**
   * A row for each feature that differs: `id`, `visible_id`, `site_id`, `semantic_type`, `change` (`new`, `gone`,
   * `returned` or `changed`), `what` (an array of the fields and properties that differ, by name; empty unless it
   * changed) and `gone_at` (when it was found to be gone, or null).
   */
  readonly features: ColumnTable;
  /**
   * A row for each feature of both states whose geometry differs: `id`, `visible_id`, `semantic_type`, `moved_m` (how far
   * the centroid went, in metres; null where one of the geometries is none), `area_before_m2`, `area_after_m2`,
   * `length_before_m`, `length_after_m` (outlines of polygons count; null without a geometry).
   */
  readonly geometries: ColumnTable;
  /**
   * A row for each field of a property definition that differs: `property_key`, `name`, `dataset_id`, `change` (`new`,
   * `gone` or `changed`), `field`, `before`, `after`. Those that are new or gone have one row without a field.
   */
  readonly definitions: ColumnTable;
  /** The same of sites, operations, blocks and datasets: `resource`, `id`, `name`, `change`, `field`, `before`, `after`. */
  readonly records: ColumnTable;
  /**
   * The changes of the log that came in: `change_id`, `id` (of the feature), `visible_id`, `column` (the property's name),
   * `property_key`, `value`, `system`, `user_id`, `caused_by_change_id`, `created_at`.
   */
  readonly changes: ColumnTable;
  /** What should not be: changes of the log that are no longer there, a state that was read from elsewhere. */
  readonly findings: readonly Finding[];
}
