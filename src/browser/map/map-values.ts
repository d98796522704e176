// Values of a map's features at each date.
import type { IntervalColumn } from "../../tables/display/live/map-payload.js";
import { unpackNumbers } from "../../tables/display/live/pack-numbers.js";

/** Values of a pane's features at a date. */
export interface FeatureValues {
  /** -1 before the first one. */
  date: number;
  /** Codes of texts, by column. */
  readonly codes: readonly Uint32Array[];
  /** 1 + index of each row's label; 0 for features that do not exist. */
  readonly labels: Uint8Array;
}

/** @param count number of features */
export function mapValues(columns: readonly IntervalColumn[], count: number) {
  /** The column that determines the colors. */
  const drawn = columns.findIndex(({ classes }) => classes);
  const classes = [0, ...unpackNumbers(columns[drawn]?.classes ?? "")];
  const steps = columns.map(({ dates }) => dates.map(unpackNumbers));

  const before = (): FeatureValues => ({
    date: -1,
    codes: columns.map(() => new Uint32Array(count)),
    labels: new Uint8Array(count).fill(drawn < 0 ? 1 : 0),
  });
  /** Advances to a date; returns the rows whose label changed, and whether one of them vanished. */
  const goOn = (state: FeatureValues, to: number) => {
    const changed: number[] = [];
    let isLess = false;
    while (state.date < to) {
      state.date += 1;
      for (const [column, codes] of state.codes.entries()) {
        const pairs = (steps[column] as Int32Array[])[state.date] as Int32Array;
        for (let at = 0, row = -1, code = 0; at < pairs.length; at += 2) {
          row += pairs[at] as number;
          code += pairs[at + 1] as number;
          codes[row] = code;
          if (column !== drawn) continue;
          const label = classes[code] as number;
          state.labels[row] = label;
          changed.push(row);
          isLess ||= label === 0;
        }
      }
    }
    return { changed, isLess };
  };
  const textOf = ({ codes }: FeatureValues, column: number, row: number): string =>
    columns[column]?.texts[(codes[column]?.[row] as number) - 1] ?? "none";
  return { before, goOn, textOf, drawn };
}
