// The access of frame scripts to the additional script of linked frames.
import type { Selection } from "../../tables/display/live/frame-link.js";
import type { apartFrom, pickedRows } from "./picked-rows.js";

export interface SelectionLine {
  /** Support for selections in a table. */
  readonly rows?: typeof pickedRows;
  /** Support for selections in a chart. */
  readonly apartFrom?: typeof apartFrom;
  /** Whether there are linked frames. */
  readonly isLinked: boolean;
  tell(selection: Selection): void;
  /** Sends the selection to the kernel, if one listens. */
  tellKernel(ids: readonly string[]): void;
}

declare global {
  /** Defined in linked frames. */
  var siteframeSelection: ((take: (selection: Selection) => void) => SelectionLine | undefined) | undefined;
}

/** Opens a line to the linked frames, if any. */
export function openSelectionLine(take: (selection: Selection) => void): SelectionLine {
  return globalThis.siteframeSelection?.(take) ?? { isLinked: false, tell: () => {}, tellKernel: () => {} };
}

// The selection of a frame's features, which linked frames share.

export type FeatureId = number | string;

export interface FrameSelection {
  readonly rows: ReadonlySet<number>;
  /** Selects only these rows, or with `isMore` also these. If all of them are selected already, deselects them. */
  set(rows: Iterable<number>, isMore?: boolean): void;
  ids(): readonly FeatureId[];
}

/**
 * @param ids ids of the features, by row
 * @param onChange called before other frames receive the change
 */
export function frameSelection(ids: readonly FeatureId[], onChange: () => void): FrameSelection {
  let rows: ReadonlySet<number> = new Set();
  const idsOf = () => [...rows].map((row) => ids[row] as FeatureId);
  /** Rows by id, for selections of other frames. Ids that the frame lacks are ignored. */
  let places: ReadonlyMap<string, number> | undefined;
  const line = openSelectionLine(({ ids: asked }) => {
    if (!asked) return;
    places ??= new Map(ids.map((id, row) => [String(id), row]));
    change(new Set(asked.flatMap((id) => places?.get(id) ?? [])), true);
  });
  const change = (next: ReadonlySet<number>, isAsked: boolean) => {
    if (next.size === rows.size && [...next].every((row) => rows.has(row))) return;
    rows = next;
    onChange();
    if (isAsked) return;
    const told = idsOf().map(String);
    line.tell({ ids: told });
    line.tellKernel(told);
  };
  return {
    get rows() {
      return rows;
    },
    set: (given, isMore = false) => {
      const taken = new Set(given);
      if (!isMore) return change(taken, false);
      const isThere = [...taken].every((row) => rows.has(row));
      change(new Set(isThere ? [...rows].filter((row) => !taken.has(row)) : [...rows, ...taken]), false);
    },
    ids: idsOf,
  };
}
