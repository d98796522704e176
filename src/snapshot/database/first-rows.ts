/** The position of each file's first row when the files stand one after the other. */
export function firstRows(counts: readonly number[]): number[] {
  let next = 0;
  return counts.map((count) => {
    const first = next;
    next += count;
    return first;
  });
}
