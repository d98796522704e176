/** How the last of some cells ends: with the text of its result, with none, or with an error that says this. */
export type Ending = string | undefined | { readonly error: string };

/** Cells that are run one after the other, how the last one ends, and where an engine differs, why. */
export type BatteryCase = readonly [
  cells: readonly string[],
  ending: Ending,
  tslab?: { readonly ending: Ending; readonly because: string },
];
