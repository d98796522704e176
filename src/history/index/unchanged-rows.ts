/** Where the changes of cells begin, column after column. */
interface CellOffsets {
  readonly offsets: Int32Array;
  readonly rowCount: number;
}

/**
 * The rows of a column that have no change, a bit each: bit `n & 31` of word `n >>> 5`.
 *
 * @param rows of the features that count, in their order; all if absent
 */
export function unchangedRows({ offsets, rowCount }: CellOffsets, column: number, rows?: Int32Array): Uint32Array {
  const length = rows?.length ?? rowCount;
  const bits = new Uint32Array((length + 31) >>> 5);
  const first = column * rowCount;
  for (let entry = 0; entry < length; entry += 1) {
    const cell = first + (rows ? (rows[entry] ?? 0) : entry);
    const isUnchanged = ((offsets[cell + 1] ?? 0) - (offsets[cell] ?? 0) - 1) >>> 31;
    bits[entry >>> 5] = (bits[entry >>> 5] ?? 0) | (isUnchanged << (entry & 31));
  }
  return bits;
}
