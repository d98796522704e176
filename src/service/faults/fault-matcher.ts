import { type Random, randomStreams } from "../sample/base/random.js";
import type { FaultCondition } from "./faults.js";

/**
 * Counts the requests to a path, and tells whether a rule strikes this one: random numbers for the strike, or
 * undefined. They depend on the seed, the rule and the count alone, so that the order of answers does not matter.
 */
export type FaultMatcher = (path: string) => Random | undefined;

/** @param name tells rules with the same condition apart */
export function faultMatcher(condition: FaultCondition, seed: number, name: string): FaultMatcher {
  const { first = Number.POSITIVE_INFINITY, every = 1, probability = 1 } = condition;
  const streams = randomStreams(seed, name);
  let count = 0;
  return (path) => {
    if (condition.path !== undefined && condition.path !== path) return undefined;
    count += 1;
    if (count > first || count % every !== 0) return undefined;
    const random = streams(count);
    return random.chance(probability) ? random : undefined;
  };
}
