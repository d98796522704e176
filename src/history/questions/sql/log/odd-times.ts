import type { Scope } from "../scope/scope.js";
import { whereOwnChanges } from "../scope/where.js";

/** How many times name no zone, and how many are a leap second or the end of a day: `zoneless`, `rolled_over`. */
export function oddTimes(scope: Scope): string {
  const { dialect } = scope;
  const zoned = dialect.matches("written", "([Zz]|[+-][0-9][0-9](:?[0-9][0-9])?)$");
  const rolledOver = dialect.matches("written", "^.{11}(24:|[0-9][0-9]:[0-9][0-9]:60)");
  return `WITH times AS (SELECT ${dialect.memberText("c.record", "created_at")} AS written
  FROM ${dialect.table("property_changes")} c WHERE c.created_at IS NOT NULL AND ${whereOwnChanges(scope, "c")})
SELECT CAST(count(CASE WHEN NOT ${zoned} THEN 1 END) AS DOUBLE) AS zoneless,
  CAST(count(CASE WHEN ${rolledOver} THEN 1 END) AS DOUBLE) AS rolled_over FROM times`;
}
