import { formatCell } from "../../tables/display/html/format-cell.js";
import { valueLabel } from "../values/value-label.js";
import { packNumbers } from "./pack-numbers.js";

/** A value of a feature at the dates from `first` to before `end`, by their places. */
export interface Stretch {
  readonly row: number;
  readonly first: number;
  readonly end: number;
  readonly value: unknown;
  /** How it is known, where that is not plain. */
  readonly state?: unknown;
}

/** A column as tips tell it. */
export interface ToldColumn {
  readonly label: string;
  /** Its different values in words. */
  readonly texts: readonly string[];
  /** 1 + place of each text's label in the legend, if the column gives the colours. Packed. */
  readonly classes?: string;
  /**
   * For each date what changes, packed: the step from the row before, and how much 1 + place of the text is more than
   * that of the row before. 0 is a feature that does not exist.
   */
  readonly dates: readonly string[];
}

/** Digits of a number that is no integer. */
const DIGITS = 6;

/**
 * A column in as few texts and changes as it has.
 *
 * @param dates how many there are
 * @param classOf place of a value's label in the legend
 */
export function toldColumn(
  label: string,
  stretches: Iterable<Stretch>,
  dates: number,
  classOf?: (value: unknown, state: unknown) => number,
): ToldColumn {
  const places = new Map<string, number>();
  const [texts, classes]: [string[], number[]] = [[], []];
  const changes = Array.from({ length: dates }, () => ({ ends: [] as number[], begins: [] as [number, number][] }));
  for (const { row, first, end, value, state } of stretches) {
    const text = cellText(value, state);
    const place = classOf?.(value, state) ?? 0;
    const key = `${place} ${text}`;
    const code = places.get(key) ?? places.size + 1;
    if (code > places.size) {
      places.set(key, code);
      texts.push(text);
      classes.push(place + 1);
    }
    changes[first]?.begins.push([row, code]);
    changes[end]?.ends.push(row);
  }
  const current = new Map<number, number>();
  const packed = changes.map(({ ends, begins }) => packNumbers(changedCodes(current, ends, begins)));
  return { label, texts, ...(classOf ? { classes: packNumbers(classes) } : {}), dates: packed };
}

/** The pairs of a date. `current` is what was told of rows, and is from then on. */
function changedCodes(
  current: Map<number, number>,
  ends: readonly number[],
  begins: readonly (readonly [row: number, code: number])[],
): readonly number[] {
  const next = new Map<number, number>(ends.map((row) => [row, 0]));
  for (const [row, code] of begins) next.set(row, code);
  const changed = [...next].filter(([row, code]) => (current.get(row) ?? 0) !== code).sort(([a], [b]) => a - b);
  let [rowBefore, codeBefore] = [-1, 0];
  return changed.flatMap(([row, code]) => {
    current.set(row, code);
    const pair = [row - rowBefore, code - codeBefore];
    [rowBefore, codeBefore] = [row, code];
    return pair;
  });
}

/** A cell in words; a number that is no integer with as many digits as tell it. */
function cellText(value: unknown, state: unknown): string {
  if (typeof value !== "number" || Number.isInteger(value) || state === "unknown") return valueLabel(value, state);
  return formatCell(Number(value.toPrecision(DIGITS))).text;
}
