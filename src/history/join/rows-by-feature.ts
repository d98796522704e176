import { type JoinedRows, NOWHERE } from "./joined-rows.js";

/** The rows of a join that have a feature, in about the order that features have in a history: that of its index. */
export interface RowsByFeature {
  readonly length: number;
  /** Row of each one's feature. */
  readonly features: Int32Array;
  readonly us: Float64Array;
  readonly known: Int32Array | undefined;
  /** Which row of the table it is. */
  readonly rows: Int32Array;
}

/** Each part of the features has so small a part of a column's changes that it stays in the processor's cache. */
const PARTS = 256;

/**
 * Puts rows in parts by their features, so that each column's changes are walked through part by part, whatever the order
 * of the table. Within a part rows stay as they stand: to sort them wholly would take longer than it saves.
 *
 * @param featureCount of the history
 */
export function rowsByFeature({ length, features, times, known }: JoinedRows, featureCount: number): RowsByFeature {
  const shift = Math.max(0, Math.ceil(Math.log2(Math.max(featureCount, 1) / PARTS)));
  const next = partStarts(features, shift);
  const count = next[PARTS + 1] as number;
  const ordered = {
    length: count,
    features: new Int32Array(count),
    us: new Float64Array(count),
    known: known && new Int32Array(count),
    rows: new Int32Array(count),
  };
  for (let row = 0; row < length; row += 1) {
    const feature = features[row] ?? NOWHERE;
    if (feature === NOWHERE) continue;
    const part = feature >> shift;
    const place = next[part] as number;
    next[part] = place + 1;
    ordered.rows[place] = row;
    ordered.features[place] = feature;
    ordered.us[place] = times.us[row] as number;
    if (known && ordered.known) ordered.known[place] = known[row] as number;
  }
  return ordered;
}

/** Where the rows of each part begin; at the end, how many rows have a feature. */
function partStarts(features: Int32Array, shift: number): Int32Array {
  const starts = new Int32Array(PARTS + 2);
  for (let row = 0; row < features.length; row += 1) {
    const feature = features[row] ?? NOWHERE;
    const part = feature === NOWHERE ? PARTS : feature >> shift;
    starts[part] = (starts[part] as number) + 1;
  }
  let count = 0;
  for (let part = 0; part <= PARTS; part += 1) {
    const own = part < PARTS ? (starts[part] as number) : 0;
    starts[part] = count;
    count += own;
  }
  starts[PARTS + 1] = count;
  return starts;
}
