// What is selected among the features of a frame, shown in the frames that it is linked with too.
import { openSelectionLine } from "./selection-door.js";

export type FeatureId = number | string;

export interface FrameSelection {
  readonly rows: ReadonlySet<number>;
  /** Selects rows and no others, or with `isMore` these too; those that all are selected already are let go then. */
  set(rows: Iterable<number>, isMore?: boolean): void;
  ids(): readonly FeatureId[];
}

/**
 * @param ids of the features, by row
 * @param onChange is called before others are told
 */
export function frameSelection(ids: readonly FeatureId[], onChange: () => void): FrameSelection {
  let rows: ReadonlySet<number> = new Set();
  const idsOf = () => [...rows].map((row) => ids[row] as FeatureId);
  /** Of an id that the others say: those that the frame does not have are passed over. */
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
