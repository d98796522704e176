/** How much a diagnostic matters: `error` is wrong data, `warning` may change results, `info` is good to know. */
export type DiagnosticSeverity = "info" | "warning" | "error";

/**
 * Stable names of the kinds of diagnostics, subject first. `docs/api/diagnostics.md` has an anchor for each code, with its
 * meaning and what to do.
 */
export type DiagnosticCode =
  | "backtest-missing"
  | "cause-cyclic"
  | "change-lost"
  | "change-without-feature"
  | "column-merge-conflict"
  | "column-merged"
  | "column-renamed-in-sql"
  | "column-suffixed"
  | "component-excluded"
  | "dataset-not-found"
  | "dataset-without-features"
  | "date-after-read"
  | "diagnostics-truncated"
  | "edit-late"
  | "end-unknown"
  | "factor-missing"
  | "feature-done-at-start"
  | "feature-gone"
  | "feature-outside-survey-area"
  | "feature-unplanned"
  | "feature-without-changes"
  | "feature-without-dataset"
  | "file-damaged"
  | "filter-empty"
  | "forecast-too-early"
  | "forecast-too-late"
  | "format-detected"
  | "geometry-malformed"
  | "id-repeated"
  | "key-unresolved"
  | "layer-at-site-level"
  | "layer-empty"
  | "layout-entry-unknown"
  | "location-missing"
  | "log-differs-from-current"
  | "log-too-short"
  | "match-missing"
  | "module-count-missing"
  | "operation-not-completed"
  | "operation-not-found"
  | "origin-differs"
  | "peak-power-missing"
  | "plan-empty"
  | "plan-size-differs"
  | "power-above-peak"
  | "previous-value-differs"
  | "property-name-taken"
  | "rated-power-missing"
  | "record-invalid"
  | "recording-time-unknown"
  | "relation-unresolved"
  | "risk-set-empty"
  | "row-before-feature"
  | "row-without-values"
  | "semantic-type-not-found"
  | "severity-missing"
  | "site-not-found"
  | "stage-uncredited"
  | "start-unknown"
  | "start-unknown-dropped"
  | "survey-area-missing"
  | "time-zone-differs"
  | "timestamp-impossible"
  | "timestamp-rolled-over"
  | "timestamp-without-zone"
  | "total-growing"
  | "unit-unknown"
  | "value-not-reached"
  | "value-type-mismatch"
  | "value-unknown"
  | "value-without-zone"
  | "weight-invalid"
  | "weight-missing"
  | "work-already-done";

/** Severity of each code, in alphabetical order of the codes. */
export const diagnosticSeverities: Readonly<Record<DiagnosticCode, DiagnosticSeverity>> = {
  "backtest-missing": "info",
  "cause-cyclic": "warning",
  "change-lost": "warning",
  "change-without-feature": "warning",
  "column-merge-conflict": "warning",
  "column-merged": "info",
  "column-renamed-in-sql": "info",
  "column-suffixed": "info",
  "component-excluded": "warning",
  "dataset-not-found": "warning",
  "dataset-without-features": "warning",
  "date-after-read": "warning",
  "diagnostics-truncated": "info",
  "edit-late": "info",
  "end-unknown": "warning",
  "factor-missing": "warning",
  "feature-done-at-start": "info",
  "feature-gone": "info",
  "feature-outside-survey-area": "warning",
  "feature-unplanned": "info",
  "feature-without-changes": "info",
  "feature-without-dataset": "warning",
  "file-damaged": "error",
  "filter-empty": "warning",
  "forecast-too-early": "warning",
  "forecast-too-late": "warning",
  "format-detected": "info",
  "geometry-malformed": "warning",
  "id-repeated": "error",
  "key-unresolved": "warning",
  "layer-at-site-level": "warning",
  "layer-empty": "info",
  "layout-entry-unknown": "info",
  "location-missing": "warning",
  "log-differs-from-current": "warning",
  "log-too-short": "warning",
  "match-missing": "warning",
  "module-count-missing": "warning",
  "operation-not-completed": "warning",
  "operation-not-found": "warning",
  "origin-differs": "warning",
  "peak-power-missing": "warning",
  "plan-empty": "warning",
  "plan-size-differs": "warning",
  "power-above-peak": "warning",
  "previous-value-differs": "warning",
  "property-name-taken": "info",
  "rated-power-missing": "warning",
  "record-invalid": "warning",
  "recording-time-unknown": "warning",
  "relation-unresolved": "warning",
  "risk-set-empty": "warning",
  "row-before-feature": "info",
  "row-without-values": "warning",
  "semantic-type-not-found": "warning",
  "severity-missing": "warning",
  "site-not-found": "warning",
  "stage-uncredited": "warning",
  "start-unknown": "info",
  "start-unknown-dropped": "info",
  "survey-area-missing": "warning",
  "time-zone-differs": "warning",
  "timestamp-impossible": "warning",
  "timestamp-rolled-over": "info",
  "timestamp-without-zone": "warning",
  "total-growing": "warning",
  "unit-unknown": "warning",
  "value-not-reached": "warning",
  "value-type-mismatch": "warning",
  "value-unknown": "info",
  "value-without-zone": "warning",
  "weight-invalid": "warning",
  "weight-missing": "warning",
  "work-already-done": "info",
};

/**
 * A message for the user that is not an error: a merged column, an unresolved UUID, a wrong scope, a late edit.
 */
export interface Diagnostic {
  /** Stable name of the kind of diagnostic, in kebab-case: `key-unresolved`. */
  readonly code: DiagnosticCode;
  /** How much it matters. */
  readonly severity: DiagnosticSeverity;
  /** One sentence for a person. */
  readonly message: string;
  /** How many rows, keys or values it is about. */
  readonly count?: number;
  /** The facts as data, for programs. Plain JSON without person data. */
  readonly facts?: Readonly<Record<string, unknown>>;
}

/**
 * Returns the diagnostics of one table, for example why it is empty, or that its time is after the log was read.
 * Diagnostics of a layer or history as a whole are in their `diagnostics`.
 *
 * @param value a table as a source or a history returned it: derived tables have no diagnostics
 * @example
 * ```ts
 * diagnosticsOf(history.totals("Cost estimate", ["2025-06-30"])).map(({ code }) => code)
 * ```
 */
export function diagnosticsOf(value: unknown): readonly Diagnostic[] {
  if (typeof value !== "object" || value === null) return [];
  const diagnostics: unknown = Reflect.get(value, "diagnostics");
  return Array.isArray(diagnostics) ? (diagnostics as readonly Diagnostic[]) : [];
}

/** A diagnostic with the severity of its code. */
export function withSeverity(given: Omit<Diagnostic, "severity">): Diagnostic {
  const { code, ...others } = given;
  return { code, severity: diagnosticSeverities[code], ...others };
}

/** Returns the anchor of a code in the generated reference: `diagnostics.md#weight-missing`. */
function diagnosticAnchor({ code }: Pick<Diagnostic, "code">): string {
  return `diagnostics.md#${code}`;
}

/** A diagnostic as one line of text: severity, message and anchor. */
export function diagnosticText({ severity, message, code }: Diagnostic): string {
  return `${severity}: ${message} [${diagnosticAnchor({ code })}]`;
}
