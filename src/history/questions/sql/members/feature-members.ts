import { usLiteral } from "../dialect/us-literal.js";
import type { Scope } from "../scope/scope.js";
import { whereChanges, whereFeatures } from "../scope/where.js";
import { BEGINNING_US } from "../values/marks.js";

/** A column that a member carries along. */
export interface Carried {
  readonly name: string;
  /** Over `layer_features f` and what is joined to it. */
  readonly sql: string;
}

/**
 * `feat`: the features as `f`, with `created_us` (null where nobody knows) and what is carried.
 *
 * @param joins stands behind `FROM layer_features f`
 */
export function featMember(scope: Scope, carried: readonly Carried[] = [], joins = ""): string {
  const { dialect } = scope;
  const extra = carried.map(({ name, sql }) => `, ${sql} AS ${name}`).join("");
  return `feat AS (SELECT f.id AS f, ${dialect.us("f.created_at")} AS created_us${extra}
  FROM ${dialect.table("layer_features")} f${joins} WHERE ${whereFeatures(scope, "f")})`;
}

/** `firsts`: when the first change of each feature that is known was made, in whatever property. */
export function firstsMember(scope: Scope): string {
  return `firsts AS (SELECT c.layer_feature_id AS f, min(${knownUs(scope, "c")}) AS first_us
  FROM ${scope.dialect.table("property_changes")} c WHERE ${whereChanges(scope, "c")} GROUP BY c.layer_feature_id)`;
}

/** Since when a feature exists, of `created_us` and `first_us`, when its first change was made. */
export const FROM_US = `CASE WHEN created_us IS NULL THEN ${usLiteral(BEGINNING_US)}
    WHEN first_us < created_us THEN first_us ELSE created_us END AS from_us`;

/** `feat`, `firsts` and `present`: the features with `from_us`, since when they exist, and what is carried. */
export function presentMembers(scope: Scope, carried: readonly Carried[] = [], joins = ""): string[] {
  const extra = carried.map(({ name }) => `, feat.${name}`).join("");
  return [
    featMember(scope, carried, joins),
    firstsMember(scope),
    `present AS (SELECT feat.f${extra}, ${FROM_US}
  FROM feat LEFT JOIN firsts ON firsts.f = feat.f)`,
  ];
}

/** When a change was made, microseconds since 1970; null where its time does not exist or it is not known yet. */
export function knownUs({ dialect, knownUpTo }: Scope, alias: string): string {
  const us = dialect.us(`${alias}.created_at`);
  return knownUpTo === undefined ? us : `CASE WHEN ${alias}.id <= ${dialect.text(knownUpTo)} THEN ${us} END`;
}
