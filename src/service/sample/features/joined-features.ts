import { itemAt } from "../base/item-at.js";
import type { FeatureSet } from "./feature-set.js";

/** Several sets of features as one: the second set follows the first. */
export function joinedFeatures(sets: readonly FeatureSet[]): FeatureSet {
  const locate = (index: number): readonly [set: FeatureSet, index: number] => {
    let rest = index;
    for (const set of sets) {
      if (rest < set.count) return [set, rest];
      rest -= set.count;
    }
    return [itemAt(sets, sets.length), rest];
  };
  return {
    count: sets.reduce((sum, set) => sum + set.count, 0),
    draft(index) {
      const [set, rest] = locate(index);
      return set.draft(rest);
    },
    edits(index) {
      const [set, rest] = locate(index);
      return set.edits(rest);
    },
  };
}
