import type { QuestionData } from "../ask/question-data.js";

/** Changes of a feature in all columns, about. */
export function changesPerFeature({ extent, features }: QuestionData): number {
  return Math.ceil(extent.changeCount / Math.max(features.count, 1));
}
