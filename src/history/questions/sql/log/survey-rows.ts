import { knownUs } from "../members/feature-members.js";
import type { Scope } from "../scope/scope.js";
import { whereOwnChanges } from "../scope/where.js";

/**
 * What the log of the features is made of: `site_id`, `k`, `n` changes, `dated` of them whose time exists and is known,
 * `first_us`, `last_us`.
 */
export function surveyRows(scope: Scope): string {
  const us = knownUs(scope, "c");
  return `SELECT CAST(c.site_id AS DOUBLE) AS site, c.property_key AS k, CAST(count(*) AS DOUBLE) AS n, CAST(count(${us}) AS DOUBLE) AS dated,
  CAST(min(${us}) AS DOUBLE) AS first_us, CAST(max(${us}) AS DOUBLE) AS last_us
FROM ${scope.dialect.table("property_changes")} c WHERE ${whereOwnChanges(scope, "c")} GROUP BY c.site_id, c.property_key`;
}
