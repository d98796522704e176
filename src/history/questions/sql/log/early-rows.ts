import { featMember, firstsMember } from "../members/feature-members.js";
import type { Scope } from "../scope/scope.js";
import { statement } from "../scope/statement.js";

/** The features that were changed before they were created: `f`, `first_us`. */
export function earlyRows(scope: Scope): string {
  return statement(
    [featMember(scope), firstsMember(scope)],
    `SELECT CAST(feat.f AS DOUBLE) AS feature, CAST(first_us AS DOUBLE) AS first_us
FROM feat JOIN firsts ON firsts.f = feat.f WHERE first_us < created_us`,
  );
}
