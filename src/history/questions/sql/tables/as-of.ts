import { loggedValue, shownValue, UNKNOWN_MARK, type ValueKind } from "../cell-values.js";
import { changeMembers } from "../cte/change-ctes.js";
import { FROM_US, isWide } from "../cte/feature-ctes.js";
import { type LayerSelection, layerColumns } from "../cte/layer-columns.js";
import { usLiteral } from "../dialect/literals.js";
import { changeOrderKey, type Scope, statement } from "../scope.js";

/** What an as-of asks. */
export interface AsOfQuery extends LayerSelection {
  readonly us: number;
  /** Whether the first later value stands where changes exist but all are later. */
  readonly backfill: boolean;
  /** Whether features that did not exist yet are kept. */
  readonly keepsAbsent: boolean;
}

/** `f`, `col` and `v` of the cells that were ever changed: the value as JSON text, or the mark of an unknown one. */
export function asOfCells(scope: Scope, query: AsOfQuery): string {
  return statement(cellMembers(scope, query, false), "SELECT CAST(f AS DOUBLE) AS f, col, v FROM cells");
}

/**
 * The layer as it was, complete by itself. The log is read once: it tells the values, and since when features exist.
 *
 * @param kinds of the scope's columns
 */
export function asOfTable(scope: Scope, kinds: readonly (ValueKind | undefined)[], query: AsOfQuery): string {
  const { columns, us, keepsAbsent } = query;
  const existing = (value: string) => `CASE WHEN from_us <= ${usLiteral(us)} THEN ${value} END`;
  const { entriesOf } = scope.dialect;
  const changed = entriesOf && isWide(scope, columns.length) ? entriesOf : undefined;
  const said = (place: number, now: string) => {
    const value = changed ? changed.at("changed_values", String(columns[place])) : `v${place}`;
    return `coalesce(${value}, ${now})`;
  };
  const layer = layerColumns(
    scope,
    query,
    (column, place, now) => existing(shownValue(scope.dialect, kinds[column], said(place, now))),
    (place, now) => existing(loggedValue(said(place, now))),
  );
  const picks = changed
    ? [`${changed.of("col", "v")} AS changed_values`]
    : columns.map((column, place) => `max(CASE WHEN col = ${column} THEN v END) AS v${place}`);
  return statement(
    [
      ...layer.members,
      ...cellMembers(scope, query, true),
      `wide AS (SELECT ${["f AS changed", "min(first_us) AS first_us", ...picks].join(", ")} FROM cells GROUP BY f)`,
      `present AS (SELECT *, ${FROM_US} FROM feat LEFT JOIN wide ON changed = f)`,
    ],
    `SELECT ${layer.selected}
FROM present${keepsAbsent ? "" : `\nWHERE from_us <= ${usLiteral(us)}`}
ORDER BY 1`,
  );
}

/**
 * `cells`: what each cell that was ever changed said.
 *
 * @param others whether there are `first_us`, when the first change was made, and cells of all other properties as one
 */
function cellMembers(scope: Scope, { columns, us, backfill }: AsOfQuery, others: boolean): string[] {
  const order = changeOrderKey(scope.dialect);
  const asked = others ? " AND col IS NOT NULL" : "";
  const last = `max_by(v, ${order}) FILTER (WHERE us <= ${usLiteral(us)}${asked})`;
  const first = `min_by(v, ${order}) FILTER (WHERE us IS NOT NULL${asked})`;
  const value = [last, ...(backfill ? [first] : []), `'${UNKNOWN_MARK}'`].join(", ");
  return [
    ...changeMembers(scope, columns, { others }),
    `cells AS (SELECT f, col, coalesce(${value}) AS v${others ? ", min(us) AS first_us" : ""} FROM changes GROUP BY f, col)`,
  ];
}
