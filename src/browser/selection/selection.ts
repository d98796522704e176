// The selection of a frame's features, which linked frames share.
import { openSelectionLine } from "./selection-door.js";

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
