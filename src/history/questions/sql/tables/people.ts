import { changeMembers } from "../cte/change-ctes.js";
import { featMember } from "../cte/feature-ctes.js";
import { usLiteral } from "../dialect/literals.js";
import { type Scope, statement } from "../scope.js";

const US_PER_HOUR = 3_600_000_000n;
/** A whole number of weeks that no time is before, so that hours are counted up from it. */
const BEFORE_ALL_US = 200_000n * 168n * US_PER_HOUR;

/** From when on clocks are how far ahead of UTC. */
export interface ClockOffset {
  /** −Infinity for the first. */
  readonly fromUs: number;
  readonly offsetUs: number;
}

/** Edits of each user and of the system by hour of the ISO week: `user_id`, `system`, `hour`, `n`, `first_us`, `last_us`. */
export function peopleRows(scope: Scope, offsets: readonly ClockOffset[]): string {
  const { quotient } = scope.dialect;
  const hours = quotient(`(us + ${offsetOf(offsets)} + ${BEFORE_ALL_US})`, String(US_PER_HOUR));
  return statement(
    [...editMembers(scope), `timed AS (SELECT user_id, is_system, us, ${hours} AS hours FROM edits)`],
    // 1970 began on a Thursday.
    `SELECT CAST(user_id AS DOUBLE) AS person, is_system, CAST((hours + 72) % 168 AS DOUBLE) AS hour, CAST(count(*) AS DOUBLE) AS n,
  CAST(min(us) AS DOUBLE) AS first_us, CAST(max(us) AS DOUBLE) AS last_us
FROM timed GROUP BY user_id, is_system, (hours + 72) % 168`,
  );
}

/** Who edited, complete by itself. */
export function peopleTable(scope: Scope): string {
  const { dialect } = scope;
  return statement(
    editMembers(scope),
    `SELECT user_id, is_system AS ${dialect.identifier("system")}, count(*) AS edits, ${dialect.instant("min(us)")} AS first_at,
  ${dialect.instant("max(us)")} AS last_at
FROM edits GROUP BY user_id, is_system ORDER BY is_system, user_id NULLS FIRST`,
  );
}

function editMembers(scope: Scope): string[] {
  const columns = scope.columns.map((_, column) => column);
  const extra = ["c.user_id AS user_id", `c.${scope.dialect.identifier("system")} AS is_system`];
  return [
    featMember(scope),
    ...changeMembers(scope, columns, { extra }),
    "edits AS (SELECT user_id, is_system, us FROM changes JOIN feat ON feat.f = changes.f WHERE us IS NOT NULL)",
  ];
}

/** How far clocks are ahead of UTC at `us`: there are two changes a year at most. */
function offsetOf(offsets: readonly ClockOffset[]): string {
  const [first, ...later] = offsets;
  const cases = later.map(({ fromUs, offsetUs }) => `WHEN us >= ${usLiteral(fromUs)} THEN ${offsetUs}`).reverse();
  return cases.length === 0 ? `(${first?.offsetUs ?? 0})` : `CASE ${cases.join(" ")} ELSE ${first?.offsetUs ?? 0} END`;
}
