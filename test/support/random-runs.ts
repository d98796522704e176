const { SITEFRAME_TEST_SEED, SITEFRAME_TEST_SIZE } = process.env;

/** The seed of random tests, see `fast-check-seed.ts`. */
export const seed = Number(SITEFRAME_TEST_SEED ?? 1);

/** Seeds of a test that runs once for each: three fixed seeds, or the seed in the environment. */
export const seeds: readonly number[] = SITEFRAME_TEST_SEED === undefined ? [1, 2, 3] : [seed];

/**
 * Number of random cases of a property: all of them in `.ci/full`, a sample elsewhere.
 *
 * @param full the number in `.ci/full`
 * @param sample the number in `npm test` and `.ci/run`. Default: a fifth of `full`
 */
export function randomRuns(full: number, sample = Math.ceil(full / 5)): number {
  return SITEFRAME_TEST_SIZE === "full" ? full : sample;
}

/** Numbers from 0 to 1, the same for each seed. */
export function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
