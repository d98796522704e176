import { changeMembers } from "../members/change-members.js";
import { featMember } from "../members/feature-members.js";
import type { Scope } from "../scope/scope.js";
import { statement } from "../scope/statement.js";

/** The values that a column ever had by the log, each once, also later than is known: `v`, JSON texts. */
export function loggedValues(scope: Scope, column: number): string {
  return statement(
    [featMember(scope), ...changeMembers({ ...scope, knownUpTo: undefined }, [column])],
    "SELECT DISTINCT v FROM changes JOIN feat ON feat.f = changes.f WHERE us IS NOT NULL",
  );
}
