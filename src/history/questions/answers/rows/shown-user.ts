import type { QuestionData } from "../ask/question-data.js";

/**
 * A person as results show him.
 *
 * @param user NaN for nobody
 */
export function shownUser({ pseudonym }: Pick<QuestionData, "pseudonym">, user: number): number | null {
  if (Number.isNaN(user)) return null;
  return Number(pseudonym ? pseudonym(user) : user);
}
