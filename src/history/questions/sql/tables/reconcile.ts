import { changeMembers } from "../cte/change-ctes.js";
import { columnMembers, featMember, presentCells } from "../cte/feature-ctes.js";
import { changeOrderKey, type PartStatement, type Scope, statement } from "../scope.js";

/**
 * How the last changes compare with the present: `col`, `is_valid`, `is_inserted` (whether the last in valid order, and
 * in order of insertion, is the present value), `n` cells; where the last in valid order is not, a row each cell, with
 * `f` and `v`.
 */
export function reconcileRows(scope: Scope): string {
  return statement(
    comparedMembers(scope),
    `SELECT col, is_valid, is_inserted, CAST(odd_f AS DOUBLE) AS feature, odd_v, CAST(count(*) AS DOUBLE) AS n
FROM (SELECT col, is_valid, is_inserted, CASE WHEN NOT is_valid THEN f END AS odd_f, CASE WHEN NOT is_valid THEN valid END AS odd_v
  FROM compared) cells
GROUP BY col, is_valid, is_inserted, odd_f, odd_v`,
  );
}

/** How many cells are not at present what their last change says: `col`, `n`. */
export function differentRows(scope: Scope): string {
  return statement(
    comparedMembers(scope),
    "SELECT CAST(col AS DOUBLE) AS place, CAST(count(*) AS DOUBLE) AS n FROM compared WHERE NOT is_valid GROUP BY col",
  );
}

/** Whether the log explains the present, column by column, complete by itself. */
export function reconcileTable(scope: Scope): string {
  return countedTable(scope, "");
}

/** The same of some features: the counts of a column are added up when all are there. */
export function reconcilePart(scope: Scope): PartStatement {
  const { dialect } = scope;
  const column = dialect.identifier("column");
  const sums = counts
    .map(({ name }) => dialect.identifier(name))
    .map((name) => `CAST(sum(${name}) AS BIGINT) AS ${name}`);
  return {
    sql: countedTable(scope, "named, "),
    afterwards: [
      (table) => `SELECT ${[column, ...sums].join(", ")} FROM ${table} GROUP BY named, ${column} ORDER BY named`,
    ],
  };
}

const ifTrue = (condition: string) => `count(CASE WHEN ${condition} THEN 1 END)`;

const counts = [
  { name: "pairs", sql: "count(col)" },
  { name: "valid", sql: ifTrue("is_valid") },
  { name: "insertion", sql: ifTrue("is_inserted") },
  { name: "both", sql: ifTrue("is_valid AND is_inserted") },
  { name: "neither", sql: ifTrue("NOT is_valid AND NOT is_inserted") },
];

/** @param before what is selected before a column's name */
function countedTable(scope: Scope, before: string): string {
  const { dialect } = scope;
  const selected = counts.map(({ name, sql }) => `${sql} AS ${dialect.identifier(name)}`);
  return statement(
    [...comparedMembers(scope), ...columnMembers(scope, "named")],
    `SELECT ${[`${before}name AS ${dialect.identifier("column")}`, ...selected].join(",\n  ")}
FROM cols LEFT JOIN compared ON col = named GROUP BY named, name ORDER BY named`,
  );
}

/** `compared`: of each cell that was changed whether its last changes are the present value. */
function comparedMembers(scope: Scope): string[] {
  const columns = scope.columns.map((_, column) => column);
  const now = presentCells(scope);
  return [
    ...now.members,
    featMember(scope, now.carried, now.joins),
    ...changeMembers(scope, columns),
    `ends AS (SELECT f AS changed, col, max_by(v, ${changeOrderKey(scope.dialect)}) AS valid, max_by(v, id) AS inserted
  FROM changes WHERE us IS NOT NULL GROUP BY f, col)`,
    `matched AS (SELECT f, col, valid, inserted, ${now.of("col")} AS now FROM ends JOIN feat ON f = changed)`,
    "compared AS (SELECT f, col, valid, valid = now AS is_valid, inserted = now AS is_inserted FROM matched)",
  ];
}
