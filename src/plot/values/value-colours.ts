import type { ScaleOptions } from "@observablehq/plot";
import { hatchFill } from "./hatch.js";
import { grey, palette } from "./palette.js";
import { labels, valueLabel } from "./value-label.js";

/**
 * A colour scale for labels of values: unknown is hatched, none and other are grey.
 *
 * @param places all labels that the column can have: a label's place among them gives its colour, whatever else a
 *   figure shows
 */
export function valueColours(domain: readonly string[], places: readonly string[] = domain): ScaleOptions {
  const colours = colourPlaces(
    domain.filter((label) => !isSpecial(label)),
    places.filter((label) => !isSpecial(label)),
  );
  const colourOf = (label: string): string => {
    if (label === labels.unknown) return hatchFill;
    if (label === labels.none) return grey.none;
    return label === labels.other ? grey.other : (palette[colours.get(label) ?? 0] ?? grey.other);
  };
  return { type: "ordinal", domain, range: domain.map(colourOf), legend: domain.length > 1 };
}

/** Place of each label's colour in the palette. Of more places than colours a taken one gives way to the next. */
function colourPlaces(named: readonly string[], places: readonly string[]): ReadonlyMap<string, number> {
  const all = [...new Set([...places, ...named])];
  const taken = new Set<number>();
  const colours = new Map<string, number>();
  for (const label of named) {
    let colour = all.indexOf(label) % palette.length;
    while (taken.has(colour) && taken.size < palette.length) colour = (colour + 1) % palette.length;
    taken.add(colour);
    colours.set(label, colour);
  }
  return colours;
}

/**
 * Labels in an order: those that are listed first, even if they were not found, so that every figure with the same
 * list has the same colours; the rest after them, unknown at the end.
 */
export function orderLabels(found: Iterable<string>, order: readonly unknown[] = []): readonly string[] {
  const all = new Set(found);
  const listed = [...new Set(order.map((value) => valueLabel(value)))];
  const rest = [...all].filter((label) => !listed.includes(label) && !isSpecial(label));
  const special = [labels.other, labels.none, labels.unknown].filter(
    (label) => all.has(label) && !listed.includes(label),
  );
  return [...listed, ...rest, ...special];
}

function isSpecial(label: string): boolean {
  return label === labels.unknown || label === labels.none || label === labels.other;
}
