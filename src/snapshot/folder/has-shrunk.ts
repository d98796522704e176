/** Companies delete some records from time to time; a larger share at once is probably a mistake. */
const LARGEST_SHARE = 0.1;
const SMALLEST_COUNT = 10;

/** Whether so many rows are missing that a new generation must be allowed explicitly. */
export function hasShrunk(missing: number, before: number): boolean {
  return missing > Math.max(SMALLEST_COUNT, LARGEST_SHARE * before);
}
