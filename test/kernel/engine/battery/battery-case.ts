/** How the last of some cells ends: with the text of its result, without a result, or with an error that contains this. */
export type Ending = string | undefined | { readonly error: string };

/** How cells end with tslab if that differs, and the reason. */
export interface TslabDifference {
  readonly ending: Ending;
  readonly because: string;
}

/** Cells that run one after the other, how the last one ends, and the difference of tslab. */
export type BatteryCase = readonly [cells: readonly string[], ending: Ending, tslab?: TslabDifference];
