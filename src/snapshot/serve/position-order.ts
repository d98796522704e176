const DIGIT_BITS = 11;
const DIGITS = 1 << DIGIT_BITS;

/** The indices of row numbers in ascending order of the rows; equal rows stay in their order. */
export function positionOrder(rows: Uint32Array): Uint32Array {
  let highest = 0;
  for (let index = 0; index < rows.length; index++) highest = Math.max(highest, rows[index] ?? 0);
  let order = new Uint32Array(rows.length).map((_, index) => index);
  let next = new Uint32Array(rows.length);
  // Digit by digit, from the lowest: a page has so many rows that comparing them costs more than reading them.
  for (let shift = 0; shift < 32 && highest >>> shift > 0; shift += DIGIT_BITS) {
    sortByDigit(rows, order, next, shift);
    [order, next] = [next, order];
  }
  return order;
}

function sortByDigit(rows: Uint32Array, order: Uint32Array, into: Uint32Array, shift: number): void {
  const ends = new Uint32Array(DIGITS + 1);
  const digit = (index: number) => ((rows[index] ?? 0) >>> shift) & (DIGITS - 1);
  for (let index = 0; index < rows.length; index++) {
    const after = digit(index) + 1;
    ends[after] = (ends[after] ?? 0) + 1;
  }
  for (let at = 1; at <= DIGITS; at++) ends[at] = (ends[at] ?? 0) + (ends[at - 1] ?? 0);
  for (let place = 0; place < order.length; place++) {
    const index = order[place] ?? 0;
    const at = digit(index);
    const end = ends[at] ?? 0;
    into[end] = index;
    ends[at] = end + 1;
  }
}
