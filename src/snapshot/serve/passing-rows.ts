import type { RowTest } from "./code-column.js";

/** The rows that pass every test, in the order given. */
export function passingRows(order: Uint32Array, tests: readonly RowTest[]): Uint32Array {
  const [first] = tests;
  if (!first) return order;
  // An order visits rows at random. Tests look at rows one after the other and leave a byte each, so that only that
  // small array is visited at random.
  const passes = new Uint8Array(first.codes.length).fill(1);
  for (const { codes, allowed } of tests) {
    for (let row = 0; row < passes.length; row++) passes[row] = (passes[row] ?? 0) & (allowed[codes[row] ?? 0] ?? 0);
  }
  const kept = new Uint32Array(order.length);
  let count = 0;
  for (let index = 0; index < order.length; index++) {
    const row = order[index] ?? 0;
    // Written always and counted if it passes: a branch that is taken at random costs more.
    kept[count] = row;
    count += passes[row] ?? 0;
  }
  return kept.slice(0, count);
}
