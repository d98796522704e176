import { shownValue } from "../cell-values.js";
import { changeMembers } from "../cte/change-ctes.js";
import { columnMembers, featMember } from "../cte/feature-ctes.js";
import { type PartStatement, type Scope, statement } from "../scope.js";

/**
 * The log of a scope's columns in valid order: `id`, `seq`, `f`, `col`, `k`, `v`, `previous` (null where there is none),
 * `system`, `user_id`, `cause`, `us`.
 */
export function logRows(scope: Scope): string {
  return statement(
    loggedMembers(scope),
    `SELECT id, CAST(seq AS DOUBLE) AS place, CAST(f AS DOUBLE) AS feature, col, k, v, previous, is_system, CAST(user_id AS DOUBLE) AS person,
  cause, CAST(us AS DOUBLE) AS made
FROM logged ORDER BY us, id`,
  );
}

/** The log, complete by itself. */
export function logTable(scope: Scope): string {
  return statement(
    [...loggedMembers(scope, ["visible_id"]), ...columnMembers(scope, "named")],
    `SELECT ${[storedId, "seq", ...storedMembers(scope)].join(",\n  ")}
FROM logged JOIN cols ON named = col ORDER BY us, change_id`,
  );
}

/** The same of some features: places in the log are counted when all are there. */
export function logPart(scope: Scope): PartStatement {
  const members = [...rankedMembers(scope, ["visible_id"]), ...columnMembers(scope, "named")];
  const sql = statement(
    members,
    `SELECT ${[storedId, ...storedMembers(scope)].join(",\n  ")}, named IS NOT NULL AS is_asked
FROM ranked LEFT JOIN cols ON named = col`,
  );
  return {
    sql,
    afterwards: [
      (table) => `SELECT *, row_number() OVER () - 1 AS seq FROM (FROM ${table} ORDER BY change_id)`,
      (table) =>
        `SELECT change_id, seq, * EXCLUDE (change_id, seq, is_asked) FROM ${table} WHERE is_asked ORDER BY created_at_us, change_id`,
    ],
  };
}

const storedId = "id AS change_id";

function storedMembers({ dialect }: Scope): string[] {
  const shown = (value: string) => shownValue(dialect, "text", value);
  return [
    `f AS ${dialect.identifier("id")}`,
    "visible_id",
    `name AS ${dialect.identifier("column")}`,
    "k AS property_key",
    `${shown("v")} AS ${dialect.identifier("value")}`,
    `${shown("previous")} AS previous`,
    `is_system AS ${dialect.identifier("system")}`,
    "user_id",
    "cause AS caused_by_change_id",
    `${dialect.instant("us")} AS created_at`,
    "us AS created_at_us",
  ];
}

/** `logged`: the changes of the scope's columns; they are ranked among those of all properties. */
function loggedMembers(scope: Scope, carried: readonly string[] = []): string[] {
  return [
    ...rankedMembers(scope, carried),
    "numbered AS (SELECT ranked.*, row_number() OVER (ORDER BY id) - 1 AS seq FROM ranked)",
    "logged AS (SELECT * FROM numbered WHERE col IS NOT NULL)",
  ];
}

/** `ranked`: the changes of all properties with what was said before; `col` is null where a column is not asked for. */
function rankedMembers(scope: Scope, carried: readonly string[]): string[] {
  const along = carried.map((name) => `, ${name}`).join("");
  const extra = [
    "c.property_key AS k",
    "c.user_id AS user_id",
    `c.${scope.dialect.identifier("system")} AS is_system`,
    "c.caused_by_change_id AS cause",
  ];
  return [
    featMember(
      scope,
      carried.map((name) => ({ name, sql: `f.${name}` })),
    ),
    ...changeMembers(
      scope,
      scope.columns.map((_, column) => column),
      { extra, others: true },
    ),
    `ranked AS (SELECT feat.f${along}, id, col, k, v, us, is_system, user_id, cause,
    lag(v) OVER (PARTITION BY feat.f, k ORDER BY us, id) AS previous
  FROM changes JOIN feat ON feat.f = changes.f WHERE us IS NOT NULL)`,
  ];
}
