import { type JoinedRows, NOWHERE } from "./joined-rows.js";

/** The rows of a join that have a feature, feature by feature as a history has them: the order of its index. */
export interface RowsByFeature {
  readonly length: number;
  /** Row of each one's feature. */
  readonly features: Int32Array;
  readonly us: Float64Array;
  readonly known: Int32Array | undefined;
  /** Which row of the table it is; as they stand if undefined. */
  readonly rows: Int32Array | undefined;
}

/**
 * Puts rows in the order of the index, so that each column's changes are walked through once. Sorted by counting, and not
 * at all where they are in order.
 *
 * @param featureCount of the history
 */
export function rowsByFeature({ length, features, times, known }: JoinedRows, featureCount: number): RowsByFeature {
  if (isAscending(features)) return { length, features, us: times.us, known, rows: undefined };
  const next = new Int32Array(featureCount + 1);
  for (let row = 0; row < length; row += 1) {
    const place = (features[row] ?? NOWHERE) + 1;
    next[place] = (next[place] ?? 0) + 1;
  }
  let count = 0;
  next[0] = 0;
  for (let place = 1; place <= featureCount; place += 1) {
    const own = next[place] ?? 0;
    next[place] = count;
    count += own;
  }
  const rows = new Int32Array(count);
  for (let row = 0; row < length; row += 1) {
    const feature = features[row] ?? NOWHERE;
    if (feature === NOWHERE) continue;
    const place = next[feature + 1] ?? 0;
    next[feature + 1] = place + 1;
    rows[place] = row;
  }
  const [ordered, us] = [new Int32Array(count), new Float64Array(count)];
  const knownOrdered = known && new Int32Array(count);
  for (let place = 0; place < count; place += 1) {
    const row = rows[place] ?? 0;
    ordered[place] = features[row] ?? 0;
    us[place] = times.us[row] ?? 0;
    if (known && knownOrdered) knownOrdered[place] = known[row] ?? 0;
  }
  return { length: count, features: ordered, us, known: knownOrdered, rows };
}

function isAscending(features: Int32Array): boolean {
  let last = 0;
  for (let row = 0; row < features.length; row += 1) {
    const feature = features[row] ?? NOWHERE;
    if (feature < last) return false;
    last = feature;
  }
  return true;
}
