/** How often one value followed another. */
export interface Flow {
  readonly from: string;
  readonly to: string;
  readonly count: number;
}

/**
 * Where in a process each value stands, by what flows in and out of it: 1 for where things only begin, -1 for where
 * they end, in halves. Values in between are about even and share a place.
 */
export function processPlaces(flows: readonly Flow[]): ReadonlyMap<string, number> {
  const sums = new Map<string, { into: number; outOf: number }>();
  const sumOf = (value: string) => {
    const sum = sums.get(value) ?? { into: 0, outOf: 0 };
    sums.set(value, sum);
    return sum;
  };
  for (const { from, to, count } of flows) {
    sumOf(from).outOf += count;
    sumOf(to).into += count;
  }
  const place = ({ into, outOf }: { into: number; outOf: number }) =>
    Math.round((2 * (outOf - into)) / Math.max(outOf + into, 1)) / 2;
  return new Map([...sums].map(([value, sum]) => [value, place(sum)]));
}
