import type { ColumnTable } from "arquero";
import { type Diagnostic, withSeverity } from "../core/diagnostic.js";
import { givenBy } from "../core/forgotten-await.js";
import type { Capture, CaptureLine, CaptureOptions, NamedCapture, ResolvedCaptures, Sighting } from "./captures.js";
import type { Layer } from "./layer.js";
import type { Point } from "./place/geometry-measures.js";
import type { SurveyAreas } from "./survey-area.js";

/** The status of each object from capture to capture, with diagnostics of the matching. */
export interface CaptureComparison extends ColumnTable {
  /** Features without a location, unknown ids in the relation, and problems with the survey area. */
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Returns which anomalies are new, persist, are fixed or have returned, from capture to capture. Features that are the same
 * object on site form a chain: features with the same id, then features linked by the relation, then the nearest features
 * at most `maxMeters` apart, each once.
 *
 * @param layers one per capture, in chronological order
 * @returns one row per capture and chain: `capture`, `operation_id`, `chain` (counted from 1), `status`, `id` and
 * `visible_id` in this capture (null if it does not show the chain), `previous_id` and `previous_visible_id` of the
 * previous sighting, `matched_by` (`id`, `relation`, `place`) and `distance_m` from it, and `marked_fixed`: whether its
 * status says that it was fixed after it was seen (if the capture does not show it, the status of the previous sighting;
 * null without a status). `new`: in no earlier capture, which includes all of the first; `persistent`: there before, as far
 * as is known; `returned`: gone or marked as fixed, and found again without the mark; `fixed`: there before, surveyed, and
 * not in this capture, listed once; `not_surveyed`: there before, and outside the survey area. With a survey area also
 * `surveyed_before`: whether an earlier capture surveyed the location (a new feature at a location that was not surveyed
 * before may be old); null without a location. Without a survey area, every capture counts as covering everything
 * @throws ArgumentError for fewer than two layers, a relation or a status that is in no layer, and a survey area without
 * polygons or without their captures
 * @example
 * const changes = await compareCaptures([before, after], { maxMeters: 1, relation: "Previous finding" });
 * changes.groupby("capture", "status").count()
 */
export function compareCaptures(layers: readonly Layer[], options: CaptureOptions): Promise<CaptureComparison> {
  return givenBy("compareCaptures()", compare(layers, options));
}

async function compare(layers: readonly Layer[], options: CaptureOptions): Promise<CaptureComparison> {
  const [{ captureTable, resolveComparison }, { withProvenance }] = await Promise.all([
    import("./captures.js"),
    import("../tables/column/table.js"),
  ]);
  const resolved = resolveComparison(layers, options);
  const { captures, lines, flown, diagnostics } = await followCaptures("compareCaptures()", layers, resolved);
  const result = captureTable(captures, lines, flown ? [surveyedBefore(captures, lines, flown)] : []);
  const assumptions = { maxMeters: resolved.maxMeters, ...(flown && { surveyArea: flown.words }) };
  const last = layers.at(-1);
  const proven = last ? { ...last.provenance, assumptions } : undefined;
  return Object.assign(proven ? withProvenance(result, proven) : result, { diagnostics });
}

/** Captures with the status of their features. */
export interface FollowedCaptures {
  readonly captures: readonly NamedCapture[];
  readonly lines: readonly CaptureLine[];
  /** Their survey areas; undefined if unknown. */
  readonly flown: SurveyAreas | undefined;
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Follows objects from capture to capture.
 *
 * @param call name of the call, for messages
 * @param options complete options
 */
export async function followCaptures(
  call: string,
  layers: readonly Layer[],
  options: ResolvedCaptures,
): Promise<FollowedCaptures> {
  const [{ captureLines, chainCaptures, fixedMarks, relatedIds }, { centerOf }] = await Promise.all([
    import("./captures.js"),
    import("./place/geometry-measures.js"),
  ]);
  const tables = layers.map(({ table }) => table);
  const related = relatedIds(tables, options.relation);
  const marks = fixedMarks(layers, options.fixed);
  const flown = await coverageOf(call, layers, options);
  const captures = tables.map(
    (table, index): NamedCapture => ({
      label: options.labels[index] as string | number,
      operationIds: Array.from<unknown>(table.column("operation_id") ?? []),
      ids: Array.from<unknown>(table.column("id") ?? []),
      visibleIds: Array.from<unknown>(table.column("visible_id") ?? []),
      points: Array.from(table.column("geometry") ?? [], centerOf),
      isFixed: marks[index],
    }),
  );
  const features = captures.map(({ ids, points }, index): Capture => {
    return { ids: Array.from(ids, Number), points, related: related.ids[index] as (typeof related.ids)[number] };
  });
  const isSurveyed = (capture: number, seen: Sighting) => flown?.covers(capture, pointOf(captures, seen)) ?? true;
  const lines = captureLines(captures, chainCaptures(features, options.maxMeters, isSurveyed), isSurveyed);
  const malformed = layers.flatMap((layer) => layer.diagnostics.filter(({ code }) => code === "geometry-malformed"));
  const diagnostics = [
    ...related.diagnostics,
    ...placelessDiagnostic(features, flown !== undefined),
    ...malformed,
    ...(flown?.diagnostics ?? []),
  ];
  return { captures, lines, flown, diagnostics };
}

async function coverageOf(
  call: string,
  layers: readonly Layer[],
  { labels, surveyArea: coverage }: ResolvedCaptures,
): Promise<SurveyAreas | undefined> {
  if (coverage === undefined) return undefined;
  const { surveyAreas } = await import("./survey-area.js");
  return surveyAreas(call, layers, labels, coverage);
}

/** The location of a sighting. */
export function pointOf(captures: readonly NamedCapture[], { capture, row }: Sighting): Point | null {
  return captures[capture]?.points[row] ?? null;
}

/** Whether an earlier capture surveyed the location of a line. */
function surveyedBefore(captures: readonly NamedCapture[], lines: readonly CaptureLine[], flown: SurveyAreas) {
  const values = lines.map(({ index, now, previous }) => {
    const seen = now ?? previous;
    const point = seen && pointOf(captures, seen);
    return point && Array.from({ length: index }, (_, before) => before).some((before) => flown.covers(before, point));
  });
  return ["surveyed_before", values] as const;
}

function placelessDiagnostic(captures: readonly Capture[], hasCoverage: boolean): readonly Diagnostic[] {
  const count = captures.reduce((sum, { points }) => sum + points.filter((point) => point === null).length, 0);
  if (count === 0) return [];
  const then = hasCoverage ? ". If a capture does not show them, they are not_surveyed" : "";
  return [
    withSeverity({
      code: "location-missing",
      message: `${count} ${count === 1 ? "feature has" : "features have"} no location and can be matched by id or relation only${then}.`,
      count,
    }),
  ];
}
