import type { ColumnTable } from "arquero";
import type { Finding } from "../core/finding.js";
import { givenBy } from "../core/forgotten-await.js";
import type { Capture, CaptureLine, CaptureOptions, NamedCapture, ResolvedCaptures, Sighting } from "./captures.js";
import type { FlownAreas } from "./coverage.js";
import type { Layer } from "./layer.js";
import type { Point } from "./place/geometry-place.js";

/** What became of each thing from capture to capture, and what to know of how it was matched. */
export interface CaptureComparison extends ColumnTable {
  /** Features without a place, ids of the relation that lead to no earlier capture, and what is odd about the coverage. */
  readonly findings: readonly Finding[];
}

/**
 * Tells from capture to capture which findings are new, persist, are fixed or have returned. Features that are the same
 * thing on site form a chain: those that share their id, that one names by the relation, else the nearest ones that are at
 * most `maxDistance` apart, each once.
 *
 * @param layers one for each capture, in the order of time
 * @returns one row a capture and chain: `capture`, `operation_id`, `chain` (counted from 1), `status`, `id` and `visible_id`
 * in this capture (null where it does not show the chain), `previous_id` and `previous_visible_id` of the sighting before,
 * `matched_by` (`id`, `relation`, `place`) and `distance_m` from it, and `marked_fixed`: whether its status says that it was
 * fixed after it was seen (of what the capture does not show that of the sighting before; null without a status). `new`: in
 * no capture before, so all of the first; `persistent`: there before, as far as is known; `returned`: gone or marked as
 * fixed, and found again without the mark; `fixed`: there before, flown over, and not in this one, told once;
 * `not surveyed`: there before, and outside of the coverage. With a coverage also `surveyed_before`: whether an earlier
 * capture was flown over the place, so that what is new and was not surveyed before may be old; null without a place.
 * Without a coverage every capture counts as flown over everything
 * @throws ArgumentError for fewer than two layers, a relation or a status that no layer has, and a coverage without polygons
 * or without their captures
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
  const { captures, lines, flown, findings } = await followCaptures("compareCaptures()", layers, resolved);
  const result = captureTable(captures, lines, flown ? [surveyedBefore(captures, lines, flown)] : []);
  const assumptions = { maxDistance: resolved.maxDistance, ...(flown && { coverage: flown.words }) };
  const last = layers.at(-1);
  const proven = last ? { ...last.provenance, assumptions } : undefined;
  return Object.assign(proven ? withProvenance(result, proven) : result, { findings });
}

/** Captures with what became of their features. */
export interface FollowedCaptures {
  readonly captures: readonly NamedCapture[];
  readonly lines: readonly CaptureLine[];
  /** What they were flown over; undefined where nobody says. */
  readonly flown: FlownAreas | undefined;
  readonly findings: readonly Finding[];
}

/**
 * Follows things from capture to capture.
 *
 * @param call whose options they are
 * @param options as they were resolved
 */
export async function followCaptures(
  call: string,
  layers: readonly Layer[],
  options: ResolvedCaptures,
): Promise<FollowedCaptures> {
  const [{ captureLines, chainCaptures, fixedMarks, relatedIds }, { centreOf }] = await Promise.all([
    import("./captures.js"),
    import("./place/geometry-place.js"),
  ]);
  const tables = layers.map(({ table }) => table);
  const related = relatedIds(tables, options.relation);
  const marks = fixedMarks(layers, options.fixed);
  const flown = await coverageOf(call, layers, options);
  const captures = tables.map(
    (table, place): NamedCapture => ({
      label: options.labels[place] as string | number,
      operationIds: Array.from<unknown>(table.column("operation_id") ?? []),
      ids: Array.from<unknown>(table.column("id") ?? []),
      visibleIds: Array.from<unknown>(table.column("visible_id") ?? []),
      points: Array.from(table.column("geometry") ?? [], centreOf),
      isFixed: marks[place],
    }),
  );
  const features = captures.map(({ ids, points }, place): Capture => {
    return { ids: Array.from(ids, Number), points, related: related.ids[place] as (typeof related.ids)[number] };
  });
  const isSurveyed = (capture: number, seen: Sighting) => flown?.covers(capture, pointOf(captures, seen)) ?? true;
  const lines = captureLines(captures, chainCaptures(features, options.maxDistance, isSurveyed), isSurveyed);
  const malformed = layers.flatMap((layer) => layer.findings.filter(({ code }) => code === "malformed-geometry"));
  const findings = [
    ...related.findings,
    ...placelessFinding(features, flown !== undefined),
    ...malformed,
    ...(flown?.findings ?? []),
  ];
  return { captures, lines, flown, findings };
}

async function coverageOf(
  call: string,
  layers: readonly Layer[],
  { labels, coverage }: ResolvedCaptures,
): Promise<FlownAreas | undefined> {
  if (coverage === undefined) return undefined;
  const { flownAreas } = await import("./coverage.js");
  return flownAreas(call, layers, labels, coverage);
}

/** Where a thing was seen. */
export function pointOf(captures: readonly NamedCapture[], { capture, row }: Sighting): Point | null {
  return captures[capture]?.points[row] ?? null;
}

/** Whether a capture before was flown over the place of a line. */
function surveyedBefore(captures: readonly NamedCapture[], lines: readonly CaptureLine[], flown: FlownAreas) {
  const values = lines.map(({ place, now, previous }) => {
    const seen = now ?? previous;
    const point = seen && pointOf(captures, seen);
    return point && Array.from({ length: place }, (_, before) => before).some((before) => flown.covers(before, point));
  });
  return ["surveyed_before", values] as const;
}

function placelessFinding(captures: readonly Capture[], hasCoverage: boolean): readonly Finding[] {
  const count = captures.reduce((sum, { points }) => sum + points.filter((point) => point === null).length, 0);
  if (count === 0) return [];
  const then = hasCoverage ? "; where a capture does not show them they are not surveyed" : "";
  return [
    {
      code: "without-place",
      message: `${count} ${count === 1 ? "feature has" : "features have"} no place, and can be matched by id or relation alone${then}.`,
      count,
    },
  ];
}
