import type { ColumnTable } from "arquero";
import type { Column } from "../../tables/column/column.js";
import { toTable } from "../../tables/column/table.js";
import type { Sighting } from "./chain-captures.js";

/** What became of a thing on site from the capture before to this one. */
export type CaptureStatus = "new" | "persistent" | "fixed" | "returned";

/** Whether the feature of a row is said to be fixed; undefined where a capture has no status. */
export type FixedMarks = ((row: number) => boolean) | undefined;

/** A capture as its rows show it. */
export interface NamedCapture {
  readonly label: string | number;
  readonly operationIds: Column;
  readonly ids: Column;
  readonly visibleIds: Column;
  readonly isFixed: FixedMarks;
}

/** One chain in one capture. */
interface Line {
  readonly capture: NamedCapture;
  readonly chain: number;
  readonly status: CaptureStatus;
  /** In this capture; null where it is fixed. */
  readonly now: Sighting | null;
  readonly previous: Sighting | null;
}

/** One row a capture and chain: chains that the capture shows, and those that it shows no more. */
export function captureTable(
  captures: readonly NamedCapture[],
  sightings: readonly (readonly Sighting[])[],
): ColumnTable {
  const lines = captures.flatMap((capture, place) =>
    linesOf(captures, capture, sightings[place] ?? [], sightings[place - 1] ?? []),
  );
  const cell = (sighting: Sighting | null, name: "ids" | "visibleIds"): unknown =>
    sighting === null ? null : (captures[sighting.capture]?.[name].at(sighting.row) ?? null);
  const column = (name: string, of: (line: Line) => unknown) => [name, lines.map(of)] as const;
  return toTable([
    column("capture", ({ capture }) => capture.label),
    column("operation_id", ({ capture, now }) => capture.operationIds.at(now?.row ?? 0) ?? null),
    column("chain", ({ chain }) => chain + 1),
    column("status", ({ status }) => status),
    column("id", ({ now }) => cell(now, "ids")),
    column("visible_id", ({ now }) => cell(now, "visibleIds")),
    column("previous_id", ({ previous }) => cell(previous, "ids")),
    column("previous_visible_id", ({ previous }) => cell(previous, "visibleIds")),
    column("matched_by", ({ now }) => now?.by ?? null),
    column("distance_m", ({ now }) => now?.meters ?? null),
    column("marked_fixed", ({ now, previous }) => markOf(captures, now ?? previous)),
  ]);
}

function linesOf(
  captures: readonly NamedCapture[],
  capture: NamedCapture,
  now: readonly Sighting[],
  before: readonly Sighting[],
): readonly Line[] {
  const seen = new Set(now.map(({ chain }) => chain));
  const shown = now.map((sighting): Line => {
    const { chain, previous } = sighting;
    return { capture, chain, status: statusOf(captures, sighting), now: sighting, previous };
  });
  const gone = before
    .filter(({ chain }) => !seen.has(chain))
    .map((previous): Line => ({ capture, chain: previous.chain, status: "fixed", now: null, previous }));
  return [...shown, ...gone].sort((a, b) => a.chain - b.chain);
}

function statusOf(captures: readonly NamedCapture[], sighting: Sighting): CaptureStatus {
  const { capture, previous } = sighting;
  if (previous === null) return "new";
  if (previous.capture !== capture - 1) return "returned";
  // Of two that are both marked nobody knows whether the mark of the first came before the second was seen.
  const cameBack = markOf(captures, previous) === true && markOf(captures, sighting) !== true;
  return cameBack ? "returned" : "persistent";
}

/** Whether a sighting is marked as fixed; null where its capture has no status. */
function markOf(captures: readonly NamedCapture[], sighting: Sighting | null): boolean | null {
  if (sighting === null) return null;
  return captures[sighting.capture]?.isFixed?.(sighting.row) ?? null;
}
