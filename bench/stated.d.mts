export interface StatedRatio {
  /** Path below the root. */
  file: string;
  /** The text of `stated.json` that names the ratio. */
  text: string;
  /** Name of the ratio, as in `results.json`. */
  name: string;
  number: number;
  /** The places of the text and of its number in the file. */
  range: { start: number; end: number };
  numberRange: { start: number; end: number };
}
export function statedRatios(root: URL): StatedRatio[];
export function rounded(ratio: number): number;
