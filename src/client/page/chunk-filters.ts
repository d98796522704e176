import type { Endpoint } from "../../api/endpoints.js";
import type { FilterValue, ResolvedFilters } from "../../api/filters.js";

/** Maximum bytes of filters in a URL: common servers reject request lines over 8 KB. */
const LONGEST_FILTERS = 7_600;

interface Split {
  readonly name: string;
  readonly values: readonly FilterValue[];
  /** Bytes of each value in the URL, including its name. */
  readonly sizes: readonly number[];
  readonly bytes: number;
  readonly parts: number;
}

/**
 * Splits filters with many values, so that each part fits the endpoint's limits and one URL. The parts cover every
 * combination of values and together select the same rows.
 */
export function chunkFilters(
  endpoint: Endpoint,
  filters: ResolvedFilters,
  longest = LONGEST_FILTERS,
): readonly ResolvedFilters[] {
  let splits = [...filters].map(([name, values]) =>
    firstSplit(name, values, endpoint.filters[name]?.maxValues ?? values.length, longest),
  );
  while (splits.reduce((sum, split) => sum + longestPart(split), 0) > longest) {
    const widest = splits.filter(({ parts, values }) => parts < values.length).reduce(gainsMore, undefined);
    if (!widest) break;
    splits = splits.map((split) => (split === widest ? { ...split, parts: split.parts + 1 } : split));
  }
  const none: readonly ResolvedFilters[] = [new Map()];
  return splits.reduce(
    (chunks, split) =>
      chunks.flatMap((chunk) => partsOf(split, split.values).map((part) => new Map([...chunk, [split.name, part]]))),
    none,
  );
}

function firstSplit(name: string, values: readonly FilterValue[], most: number, longest: number): Split {
  // "=" and "&", and "%5B%5D" if null makes all values use the bracketed form.
  const extra = encodeURIComponent(name).length + 2 + (values.includes(null) ? 6 : 0);
  const sizes = values.map((value) => extra + (value === null ? 0 : encodeURIComponent(value).length));
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  const parts = Math.min(values.length, Math.max(Math.ceil(values.length / most), Math.ceil(bytes / longest)));
  return { name, values, sizes, bytes, parts };
}

/** The filter for which one more part saves most bytes per request. */
function gainsMore(best: Split | undefined, next: Split): Split {
  return best && best.bytes / (best.parts + 1) >= next.bytes / (next.parts + 1) ? best : next;
}

function longestPart(split: Split): number {
  return Math.max(...partsOf(split, split.sizes).map((sizes) => sizes.reduce((sum, size) => sum + size, 0)));
}

/** Items in the parts of a split, of nearly equal length. */
function partsOf<T>({ parts }: Split, items: readonly T[]): readonly (readonly T[])[] {
  const bound = (index: number) => Math.floor((index * items.length) / parts);
  return Array.from({ length: parts }, (_, index) => items.slice(bound(index), bound(index + 1)));
}
