/** Stable names of the kinds of findings. The guide says of each what it means and what to do. */
export type FindingCode =
  | "already-done"
  | "beyond-peak-power"
  | "beyond-reading"
  | "gone-features"
  | "cause-cycle"
  | "change-without-feature"
  | "changes-lost"
  | "component-left-out"
  | "contract-violation"
  | "damaged-file"
  | "dataset-not-found"
  | "dataset-without-features"
  | "done-at-first"
  | "empty-filter"
  | "empty-layer"
  | "empty-plan"
  | "feature-without-dataset"
  | "features-without-changes"
  | "format-detected"
  | "forecast-too-early"
  | "forecast-too-late"
  | "growing-total"
  | "impossible-timestamp"
  | "insertion-unknown"
  | "invalid-weight"
  | "late-edit"
  | "late-entry"
  | "layout-entry"
  | "malformed-geometry"
  | "merged-column"
  | "merged-conflict"
  | "missing-weight"
  | "more-findings"
  | "name-clash"
  | "no-backtest"
  | "no-end"
  | "no-match"
  | "no-peak-power"
  | "nobody-at-risk"
  | "operation-not-completed"
  | "operation-not-found"
  | "other-origin"
  | "outside-coverage"
  | "plan-size"
  | "present-differs"
  | "previous-differs"
  | "repeated-id"
  | "rolled-over-timestamp"
  | "rows-before-features"
  | "rows-without-values"
  | "semantic-type-not-found"
  | "short-log"
  | "site-level-layer"
  | "site-not-found"
  | "sql-name"
  | "suffixed-column"
  | "type-mismatch"
  | "uncredited-stage"
  | "unknown-beginning"
  | "unknown-unit"
  | "unknown-values"
  | "unplanned"
  | "unresolved-key"
  | "unresolved-relation"
  | "value-not-reached"
  | "without-coverage"
  | "without-factor"
  | "without-modules"
  | "without-place"
  | "without-rated-power"
  | "without-severity"
  | "zoneless-timestamp";

/**
 * Something that a user should know and that is no error: a merged column, an unresolved UUID, a wrong scope,
 * a late edit.
 */
export interface Finding {
  /** Stable name of the kind of finding, in kebab-case: `unresolved-key`. */
  readonly code: FindingCode;
  /** One sentence for a person. */
  readonly message: string;
  /** How many rows, keys or values it is about. */
  readonly count?: number;
  /** The facts as data, for programs. Plain JSON without person data. */
  readonly facts?: Readonly<Record<string, unknown>>;
}

/**
 * What to know of one table: why nothing was found, that it is about a time after the log was read. What is to be known of a
 * layer or a history as a whole stands in their `findings`.
 *
 * @param value a table of a source or a history, as it was given: tables that are made of it have none
 */
export function findingsOf(value: unknown): readonly Finding[] {
  if (typeof value !== "object" || value === null) return [];
  const found: unknown = Reflect.get(value, "findings");
  return Array.isArray(found) ? (found as readonly Finding[]) : [];
}
