import type { ColumnTable } from "arquero";
import type { Finding } from "../core/finding.js";
import type { Capture, CaptureOptions } from "./captures.js";
import type { Layer } from "./layer.js";

/** What became of each thing from capture to capture, and what to know of how it was matched. */
export interface CaptureComparison extends ColumnTable {
  /** Features without a place, and ids of the relation that lead to no earlier capture. */
  readonly findings: readonly Finding[];
}

/**
 * Tells from capture to capture which findings are new, persist, are fixed or have returned. Features that are the same
 * thing on site form a chain: those that share their id, that one names by the relation, else the nearest ones that are at
 * most `maxDistance` apart, each once.
 *
 * @param layers one for each capture, in the order of time
 * @returns one row a capture and chain: `capture`, `operation_id`, `chain` (counted from 1), `status`, `id` and `visible_id`
 * in this capture (null where it is fixed), `previous_id` and `previous_visible_id` of the sighting before, `matched_by`
 * (`id`, `relation`, `place`) and `distance_m` from it, and `marked_fixed`: whether its status says that it was fixed after
 * it was seen (of what is `fixed` that of the capture before; null without a status). `new`: in no capture before, so all
 * of the first; `persistent`: in the one before, too; `returned`: gone or marked as fixed, and found again without the
 * mark; `fixed`: in the one before and not in this one
 * @throws ArgumentError for fewer than two layers, and a relation or a status that no layer has
 */
export async function compareCaptures(layers: readonly Layer[], options: CaptureOptions): Promise<CaptureComparison> {
  const [{ captureTable, chainCaptures, fixedMarks, relatedIds, resolveCaptures }, { centreOf }, { withProvenance }] =
    await Promise.all([
      import("./captures.js"),
      import("./place/geometry-place.js"),
      import("../tables/column/table.js"),
    ]);
  const { labels } = resolveCaptures(layers, options);
  const tables = layers.map(({ table }) => table);
  const related = relatedIds(tables, options.relation);
  const marks = fixedMarks(layers, options.fixed);
  const captures = tables.map((table, place): Capture => {
    const points = Array.from(table.column("geometry") ?? [], centreOf);
    return {
      ids: Array.from(table.column("id") ?? [], Number),
      points,
      related: related.ids[place] as (typeof related.ids)[number],
    };
  });
  const sightings = chainCaptures(captures, options.maxDistance);
  const named = tables.map((table, place) => ({
    label: labels[place] ?? place + 1,
    operationIds: Array.from<unknown>(table.column("operation_id") ?? []),
    ids: Array.from<unknown>(table.column("id") ?? []),
    visibleIds: Array.from<unknown>(table.column("visible_id") ?? []),
    isFixed: marks[place],
  }));
  const result = captureTable(named, sightings);
  const last = layers.at(-1);
  const malformed = layers.flatMap((layer) => layer.findings.filter(({ code }) => code === "malformed-geometry"));
  const findings = [...related.findings, ...placelessFinding(captures), ...malformed];
  return Object.assign(last ? withProvenance(result, last.provenance) : result, { findings });
}

function placelessFinding(captures: readonly Capture[]): readonly Finding[] {
  const count = captures.reduce((sum, { points }) => sum + points.filter((point) => point === null).length, 0);
  if (count === 0) return [];
  return [
    {
      code: "without-place",
      message: `${count} ${count === 1 ? "feature has" : "features have"} no place, and can be matched by id or relation alone.`,
      count,
    },
  ];
}
