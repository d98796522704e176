import { NEVER_US, UNCHANGED_MARK, UNKNOWN_MARK } from "../cell-values.js";
import { usLiteral } from "../dialect/literals.js";
import { allColumns, type Scope } from "../statement-scope.js";
import { changeCtes, changeOrder } from "./change-ctes.js";
import { type Carried, columnCtes, everExists, presenceCtes, presentValues } from "./feature-ctes.js";

/**
 * `intervals`: the intervals in which the cells of one column had the same content: `f`, `id` of the first change (of the
 * dialect's `uuid()`), `v` (JSON text, or a mark), `from_us`, `to_us` (null while it holds). Empty intervals are
 * dropped, then adjacent equal intervals are joined. The member `present` must come before.
 *
 * @param carried columns of `present` to include
 * @param changeColumns columns of the first change to include, over `property_changes c`
 */
export function intervalCtes(
  scope: Scope,
  column: number,
  carried: readonly string[] = [],
  changeColumns: readonly Carried[] = [],
): string[] {
  return makeIntervalCtes(scope, {
    columns: [column],
    carried,
    changeColumns,
    unchanged: `'${UNCHANGED_MARK}'`,
    named: false,
  });
}

/**
 * `intervals` of every column, with `col` and `name` of the column. Cells are separated by name, so that a filter on names
 * reaches the log. Cells that were never changed have their value after the mark.
 *
 * @param carried columns of `present` to include
 * @param now current value of a cell, JSON text, over `present` and `cols`
 */
export function namedIntervalCtes(scope: Scope, carried: readonly string[], now: string): string[] {
  return [
    ...columnCtes(scope, "col"),
    ...makeIntervalCtes(scope, {
      columns: allColumns(scope),
      carried: [...carried, "cols.col", "cols.name"],
      changeColumns: [],
      unchanged: `concat('${UNCHANGED_MARK}', ${now})`,
      named: true,
    }),
  ];
}

interface IntervalsQuery {
  readonly columns: readonly number[];
  readonly carried: readonly string[];
  readonly changeColumns: readonly Carried[];
  /** The content of a cell that was never changed. */
  readonly unchanged: string;
  readonly named: boolean;
}

function makeIntervalCtes(
  scope: Scope,
  { columns, carried, changeColumns, unchanged, named }: IntervalsQuery,
): string[] {
  const { dialect } = scope;
  const cell = named ? "f, name" : "f";
  const inOrder = `PARTITION BY ${cell} ORDER BY ${changeOrder()}`;
  const byTime = `PARTITION BY ${cell} ORDER BY us`;
  const next = `lead(us) OVER (${byTime})`;
  const from = (list: readonly string[]) => list.map((name) => `, ${name}`).join("");
  const ofChange = from(changeColumns.map(({ name }) => name));
  const along = from(carried.map((name) => name.replace("cols.", ""))) + ofChange;
  const until = scope.hasGone ? ["until_us"] : [];
  const [bound, ever] = [
    scope.hasGone ? " AND us < until_us" : "",
    everExists(scope)
      .map((one) => ` AND ${one}`)
      .join(""),
  ];
  const extra = changeColumns.map(({ name, sql }) => `${sql} AS ${name}`);
  return [
    ...changeCtes(scope, columns, { named, compact: true, extra }),
    `ranked AS (SELECT f AS changed, ${named ? "name AS changed_name, " : ""}id, us, v${ofChange}, lead(us) OVER (${inOrder}) AS next_us,
    row_number() OVER (${inOrder}) AS n FROM changes)`,
    // Before its first change a cell is unknown; without changes it is unchanged. Changes without a known time come
    // last.
    `starts AS (SELECT f${from([...carried, ...until])}, CASE WHEN side = 1 THEN id END AS id${from(changeColumns.map(({ name }) => `CASE WHEN side = 1 THEN ${name} END AS ${name}`))}, CASE WHEN side = 1 THEN us ELSE from_us END AS us,
    CASE WHEN side = 1 THEN v WHEN changed IS NULL THEN ${unchanged} ELSE '${UNKNOWN_MARK}' END AS v
  FROM present${named ? " CROSS JOIN cols" : ""} LEFT JOIN ranked ON changed = f${named ? " AND changed_name = cols.name" : ""} CROSS JOIN ${dialect.numbers("sides", "side", [0, 1])}
  WHERE (side = 1 AND us IS NOT NULL AND (next_us IS NULL OR next_us > us)${bound})
    OR (side = 0 AND (changed IS NULL OR (n = 1 AND (us IS NULL OR us > from_us)))${ever}))`,
    `edges AS (SELECT f${along}${from(until)}, id, us, v, lag(v) OVER (${byTime}) AS before FROM starts)`,
    `intervals AS (SELECT f${along}, id, v, us AS from_us, ${scope.hasGone ? `coalesce(${next}, nullif(until_us, ${usLiteral(NEVER_US)}))` : next} AS to_us
  FROM edges WHERE before IS NULL OR before <> v)`,
  ];
}

/** The identifier of a feature that users see. */
export const visibleId: Carried = { name: "visible_id", sql: "f.visible_id" };

/** The content of a interval, with the current value for cells that were never changed. */
export const CURRENT_VALUE = `CASE WHEN v = '${UNCHANGED_MARK}' THEN now0 ELSE v END`;

/** `intervals` of a stored result, with `visible_id` and the current value. */
export function storedIntervals(scope: Scope, column: number): string[] {
  const now = presentValues(scope, [column], "now");
  return [
    ...now.members,
    ...presenceCtes(scope, [visibleId, ...now.carried], now.joins),
    ...intervalCtes(scope, column, ["visible_id", "now0"]),
  ];
}

/**
 * `moves`: the intervals of a column that follow a logged value: `f`, `a` (that value) and `b` as JSON texts, `held`
 * (how long the first value held, in microseconds), `id` and `us` of the change.
 *
 * @param carried columns of `present` to include
 * @param changeColumns columns of the change to include, over `property_changes c`
 */
export function moveCtes(
  scope: Scope,
  column: number,
  carried: readonly Carried[] = [],
  changeColumns: readonly Carried[] = [],
): string[] {
  const names = carried.map(({ name }) => name);
  const along = [...names, ...changeColumns.map(({ name }) => name)].map((name) => `, ${name}`).join("");
  const before = (value: string) => `lag(${value}) OVER (PARTITION BY f ORDER BY from_us)`;
  return [
    ...presenceCtes(scope, carried),
    ...intervalCtes(scope, column, names, changeColumns),
    `followed AS (SELECT f${along}, id, ${before("v")} AS a, v AS b, from_us AS us, from_us - ${before("from_us")} AS held FROM intervals)`,
    `moves AS (SELECT * FROM followed WHERE a IS NOT NULL AND a NOT IN ('${UNCHANGED_MARK}', '${UNKNOWN_MARK}'))`,
  ];
}
