import type { Scope } from "../scope/scope.js";
import { UNCHANGED_MARK, UNKNOWN_MARK } from "../values/marks.js";
import { changeMembers } from "./change-members.js";
import { columnMembers } from "./column-members.js";
import type { Carried } from "./feature-members.js";

/**
 * `spans`: the stretches of time in which the cells of one column said the same: `f`, `id` of the first change (of
 * the dialect's `uuid()`), `v` (JSON text, or a mark), `from_us`, `to_us` (null while it holds). Empty ones are dropped,
 * then neighbours that say the same are joined. The member `present` stands before.
 *
 * @param carried columns of `present` that come along
 * @param told columns of the first change that come along, over `property_changes c`
 */
export function spanMembers(
  scope: Scope,
  column: number,
  carried: readonly string[] = [],
  told: readonly Carried[] = [],
): string[] {
  return stretchMembers(scope, { columns: [column], carried, told, unchanged: `'${UNCHANGED_MARK}'`, named: false });
}

/**
 * `spans` of every column, with `col` and `name` of the column. Cells are kept apart by names, so that a filter on them
 * reaches the log. What was never changed has its value behind the mark.
 *
 * @param carried columns of `present` that come along
 * @param now what a cell holds at present, JSON text, over `present` and `cols`
 */
export function namedSpanMembers(scope: Scope, carried: readonly string[], now: string): string[] {
  return [
    ...columnMembers(scope, "col"),
    ...stretchMembers(scope, {
      columns: scope.columns.map((_, column) => column),
      carried: [...carried, "cols.col", "cols.name"],
      told: [],
      unchanged: `concat('${UNCHANGED_MARK}', ${now})`,
      named: true,
    }),
  ];
}

interface Stretches {
  readonly columns: readonly number[];
  readonly carried: readonly string[];
  readonly told: readonly Carried[];
  /** What a cell says that was never changed. */
  readonly unchanged: string;
  readonly named: boolean;
}

function stretchMembers(scope: Scope, { columns, carried, told, unchanged, named }: Stretches): string[] {
  const { dialect } = scope;
  const cell = named ? "f, name" : "f";
  const inOrder = `PARTITION BY ${cell} ORDER BY us NULLS LAST, id`;
  const byTime = `PARTITION BY ${cell} ORDER BY us`;
  const from = (list: readonly string[]) => list.map((name) => `, ${name}`).join("");
  const said = from(told.map(({ name }) => name));
  const along = from(carried.map((name) => name.replace("cols.", ""))) + said;
  const extra = told.map(({ name, sql }) => `${sql} AS ${name}`);
  return [
    ...changeMembers(scope, columns, { named, compact: true, extra }),
    `ranked AS (SELECT f AS changed, ${named ? "name AS changed_name, " : ""}id, us, v${said}, lead(us) OVER (${inOrder}) AS next_us,
    row_number() OVER (${inOrder}) AS n FROM changes)`,
    // Before its first change a cell is unknown, and unchanged if it has none. Changes without a known time come last.
    `stretches AS (SELECT f${from(carried)}, CASE WHEN side = 1 THEN id END AS id${from(told.map(({ name }) => `CASE WHEN side = 1 THEN ${name} END AS ${name}`))}, CASE WHEN side = 1 THEN us ELSE from_us END AS us,
    CASE WHEN side = 1 THEN v WHEN changed IS NULL THEN ${unchanged} ELSE '${UNKNOWN_MARK}' END AS v
  FROM present${named ? " CROSS JOIN cols" : ""} LEFT JOIN ranked ON changed = f${named ? " AND changed_name = cols.name" : ""} CROSS JOIN ${dialect.numbers("sides", "side", [0, 1])}
  WHERE (side = 1 AND us IS NOT NULL AND (next_us IS NULL OR next_us > us))
    OR (side = 0 AND (changed IS NULL OR (n = 1 AND (us IS NULL OR us > from_us)))))`,
    `edges AS (SELECT f${along}, id, us, v, lag(v) OVER (${byTime}) AS before FROM stretches)`,
    `spans AS (SELECT f${along}, id, v, us AS from_us, lead(us) OVER (${byTime}) AS to_us
  FROM edges WHERE before IS NULL OR before <> v)`,
  ];
}
