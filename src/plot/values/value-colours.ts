import type { ScaleOptions } from "@observablehq/plot";
import { hatchFill } from "./hatch.js";
import { grey, palette } from "./palette.js";
import { labels, valueLabel } from "./value-label.js";

/** A colour scale for labels of values: unknown is hatched, none and other are grey. */
export function valueColours(domain: readonly string[]): ScaleOptions {
  const named = domain.filter((label) => !isSpecial(label));
  const colourOf = (label: string): string => {
    if (label === labels.unknown) return hatchFill;
    if (label === labels.none) return grey.none;
    return label === labels.other ? grey.other : (palette[named.indexOf(label) % palette.length] ?? grey.other);
  };
  return { type: "ordinal", domain, range: domain.map(colourOf), legend: domain.length > 1 };
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
