import { readFileSync } from "node:fs";
import { runInNewContext } from "node:vm";

/** Shapes as a frame has read them. */
export interface FrameShapes {
  readonly count: number;
  readonly parts: Uint32Array;
  readonly starts: Uint32Array;
  readonly kinds: Uint8Array;
  readonly x: Int32Array;
  readonly y: Int32Array;
  find(x: number, y: number, reach: number, isSeen: (row: number) => boolean): number;
}

/** What is known of features at a date. */
export interface FrameState {
  readonly date: number;
  readonly labels: Uint8Array;
}

/** The parts of the map's script that know nothing of a page. */
export interface MapScripts {
  siteframeUnpack(text: string): Int32Array;
  siteframeShapes(packed: object, pointable: number, width: number, height: number): FrameShapes;
  siteframeValues(
    columns: readonly object[],
    count: number,
  ): {
    before(): FrameState;
    goOn(state: FrameState, date: number): { readonly changed: readonly number[]; readonly isLess: boolean };
    textOf(state: FrameState, column: number, row: number): string;
  };
}

/** Runs them as a frame does. */
export function mapScripts(): MapScripts {
  const context = {};
  for (const name of ["map-shapes", "map-values"]) {
    const file = new URL(`../../../src/tables/display/frames/${name}.js`, import.meta.url);
    runInNewContext(readFileSync(file, "utf8"), context);
  }
  return context as MapScripts;
}
