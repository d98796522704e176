/** Whether random tests have their full size, as in `.ci/full`. */
const isFull = process.env["SITEFRAME_TEST_SIZE"] === "full";

/**
 * Number of random cases of a property: all of them in `.ci/full`, a sample elsewhere.
 *
 * @param full the number in `.ci/full`
 * @param sample the number in `npm test` and `.ci/run`. Default: a fifth of `full`
 */
export function randomRuns(full: number, sample = Math.ceil(full / 5)): number {
  return isFull ? full : sample;
}
