import { formatSignificant } from "../../core/format/format-number.js";
import { quantile } from "../../core/quantile.js";
import { textOrder } from "../../core/text-order.js";
import type { ValueOrder } from "../../history/order/legend-order.js";
import { isUnknown, labels as special, valueLabel } from "../../history/order/value-label.js";
import { grey, hatchFill, orderLabels, palette, steps, valueColours } from "./palette.js";

/** Values divided into the entries of a legend. */
interface Classes {
  readonly labels: readonly string[];
  /** One color per label. */
  readonly colours: readonly string[];
  readonly labelOf: (value: unknown, state?: unknown) => string;
}

/** A value and its state. */
interface Known {
  readonly value: unknown;
  readonly state?: unknown;
}

/** How to classify values. */
interface ClassifyOptions {
  /** Labels in the legend's order, even if not found. */
  readonly order?: readonly unknown[] | undefined;
  /** Thresholds between classes of numbers, instead of quantiles. */
  readonly thresholds?: readonly number[] | undefined;
  /** Returns the order of unlisted labels. Default: ascending. */
  readonly course?: ((labels: ReadonlySet<string>) => ValueOrder) | undefined;
}

/** Thresholds between classes of numbers. */
interface Limits {
  /** Ascending. The first class is below the first threshold. */
  readonly thresholds: readonly number[];
  /** The threshold whose class contains a single number. */
  readonly single?: number;
}

/** Maximum number of different numbers that may be codes of choices. */
const MOST_CODES = 40;
/** Digits of a threshold in the legend: fewer would be wrong for a large number. */
const shownDigits = 12;

/**
 * Divides values into at most ten labels: rare strings into "other", and numbers into classes of about equal size, or a
 * label each if they are few. Numbers listed in a definition or by the caller count as strings.
 */
export function classifyValues(
  values: readonly Known[],
  { order = [], thresholds, course }: ClassifyOptions = {},
): Classes {
  const numbers = values.flatMap(({ value }) => (typeof value === "number" && Number.isFinite(value) ? [value] : []));
  const filled = values.filter(({ value }) => value !== null && value !== undefined && value !== "");
  const areNumbers = numbers.length > 0 && numbers.length >= 0.9 * filled.length;
  const different = [...new Set(numbers)].sort((a, b) => a - b);
  const areCodes = () => order.length > 0 || courseOf(values, course).isListed;
  if (areNumbers && (thresholds || different.length > MOST_CODES || !areCodes())) {
    const isFew = !thresholds?.length && different.length <= steps.length;
    if (isFew) return numberClasses(values, different.slice(1), numberNames(different));
    const limits = thresholds
      ? { thresholds: [...new Set(thresholds)].sort((a, b) => a - b) }
      : quantileLimits(numbers);
    if (limits.thresholds.length > 0) return numberClasses(values, limits.thresholds, rangeNames(limits));
  }
  return textClasses(values, order, courseOf(values, course));
}

function courseOf(values: readonly Known[], course: ClassifyOptions["course"]): ValueOrder {
  const labels = new Set(values.map(({ value, state }) => valueLabel(value, state)));
  return course?.(labels) ?? { values: [], places: [], isProcess: false, isListed: false };
}

function textClasses(values: readonly Known[], order: readonly unknown[], course: ValueOrder): Classes {
  const counts = new Map<string, number>();
  for (const { value, state } of values) {
    const label = valueLabel(value, state);
    counts.set(label, (counts.get(label) ?? 0) + 1);
  }
  const ascending = [...counts.keys()].sort(textOrder());
  const labelSet = [...course.values.filter((label) => counts.has(label)), ...ascending];
  const all = orderLabels(labelSet, order);
  const byCount = [...all].sort((a, b) => (counts.get(b) ?? 0) - (counts.get(a) ?? 0));
  const listed = order.map((value) => valueLabel(value));
  const room = Math.max(palette.length - listed.length, 0);
  const common = byCount.filter((label) => !listed.includes(label)).slice(0, room);
  const kept = new Set<string>([...listed, ...common, special.none, special.unknown]);
  const drawn = all.filter((label) => kept.has(label));
  const labels = drawn.length < all.length ? orderLabels([...drawn, special.other], drawn) : drawn;
  const positions = orderLabels([...course.places, ...labelSet], order);
  const { range } = valueColours(labels, { places: positions, isProcess: course.isProcess || order.length > 0 });
  const labelOf = (value: unknown, state?: unknown) => {
    const label = valueLabel(value, state);
    return kept.has(label) ? label : special.other;
  };
  return { labels, colours: range as readonly string[], labelOf };
}

const FIFTHS = [0.2, 0.4, 0.6, 0.8];

/** Each class has about a fifth of the numbers. A number that would fill two classes has a separate class. */
function quantileLimits(numbers: readonly number[]): Limits {
  const sorted = [...numbers].sort((a, b) => a - b);
  const exact = FIFTHS.map((share) => quantile(sorted, share));
  const [least = 0] = sorted;
  const frequent = exact.find((threshold, index) => threshold === exact[index + 1]);
  if (frequent === undefined) return { thresholds: roundedQuantiles(sorted, FIFTHS, least) };
  // If most numbers are the least one, the classes are those of the different numbers.
  if (frequent === least) return { thresholds: roundedQuantiles([...new Set(sorted)], FIFTHS, least) };
  const below = sorted.filter((number) => number < frequent);
  const above = sorted.filter((number) => number > frequent);
  // Four classes are left for the two sides, at least one for each that has numbers.
  const share = Math.round((4 * below.length) / (below.length + above.length));
  const belowClasses = above.length > 0 ? Math.min(Math.max(share, 1), 3) : 4;
  const [next] = above;
  return {
    thresholds: [
      ...roundedQuantiles(below, inParts(belowClasses), least, frequent),
      frequent,
      ...(next === undefined ? [] : [roundedBetween(frequent, next)]),
      ...(next === undefined ? [] : roundedQuantiles(above, inParts(4 - belowClasses), next)),
    ],
    single: frequent,
  };
}

/** The shares that divide a whole into a number of equal parts. */
function inParts(count: number): readonly number[] {
  return Array.from({ length: count - 1 }, (_, index) => (index + 1) / count);
}

/**
 * Quantiles above `least` and below `end`, rounded to two digits, or to as many as distinguish them: years need four.
 *
 * @param sorted numbers, of which `least` is the first
 */
function roundedQuantiles(
  sorted: readonly number[],
  shares: readonly number[],
  least: number,
  end = Number.POSITIVE_INFINITY,
): readonly number[] {
  const isInside = (threshold: number) => threshold > least && threshold < end;
  const exact = shares.map((share) => quantile(sorted, share)).filter(isInside);
  const roundedTo = (digits: number) => [...new Set(exact.map((threshold) => Number(threshold.toPrecision(digits))))];
  const count = new Set(exact).size;
  let labels: readonly number[] = [];
  for (let digits = 2; digits <= shownDigits && labels.length < count; digits += 1) {
    labels = roundedTo(digits).filter(isInside);
  }
  return labels;
}

/** A number above `low` and up to `high`, with as few digits as possible. */
function roundedBetween(low: number, high: number): number {
  for (let digits = 1; digits <= shownDigits; digits += 1) {
    const rounded = Number(high.toPrecision(digits));
    if (rounded > low && rounded <= high) return rounded;
  }
  return high;
}

/** @param names one more than thresholds */
function numberClasses(values: readonly Known[], thresholds: readonly number[], names: readonly string[]): Classes {
  const labelOf = (value: unknown, state?: unknown) => {
    if (typeof value !== "number" || Number.isNaN(value) || isUnknown(state)) {
      const label = valueLabel(value, state);
      return label === special.none || label === special.unknown ? label : special.other;
    }
    return names[thresholds.filter((threshold) => value >= threshold).length] ?? special.other;
  };
  const labels = new Set(values.map(({ value, state }) => labelOf(value, state)));
  const extra = [special.other, special.none, special.unknown].filter((label) => labels.has(label));
  const colourOf = (_: string, index: number) =>
    steps[Math.round((index * (steps.length - 1)) / Math.max(names.length - 1, 1))] ?? grey.other;
  const extraColours = { [special.other]: grey.other, [special.none]: grey.none, [special.unknown]: hatchFill };
  return {
    labels: [...names, ...extra],
    colours: [...names.map(colourOf), ...extra.map((label) => extraColours[label])],
    labelOf,
  };
}

function rangeNames({ thresholds, single }: Limits): readonly string[] {
  const ranges = thresholds.map((from, index) => {
    if (from === single) return show(from);
    const to = thresholds[index + 1];
    return to === undefined ? `≥ ${show(from)}` : `${show(from)} – ${show(to)}`;
  });
  return [`< ${show(thresholds[0])}`, ...ranges];
}

/** Formatted as in tables, or with all digits if two would be equal. */
function numberNames(numbers: readonly number[]): readonly string[] {
  const names = numbers.map((number) => valueLabel(number));
  return new Set(names).size === names.length ? names : numbers.map(String);
}

function show(value: number | undefined): string {
  return formatSignificant(value ?? 0, shownDigits);
}
