import { foldCase } from "../../../tables/sql/sql-names.js";
import { addedNames, type PanelPlan, panelColumns } from "../plan/panel-plan.js";
import { castValue, UNKNOWN_MARK, type ValueKind } from "./cell-values.js";
import { changeCtes, changeOrder } from "./cte/change-ctes.js";
import { DatePlaces } from "./cte/date-places.js";
import { appearingCte, dateCtes, type StoredDate, shareOf, weightOf } from "./cte/delta-ctes.js";
import { presenceCtes, presentValues } from "./cte/feature-ctes.js";
import { visibleId } from "./cte/interval-ctes.js";
import type { Dialect } from "./dialect/dialect.js";
import { type PartStatement, type Scope, statement } from "./statement-scope.js";
import { storedNames } from "./stored-names.js";

/** Parameters of a panel. */
export interface PanelQuery {
  readonly columns: readonly number[];
  /** Ascending distinct dates, at least one. */
  readonly datesUs: readonly number[];
}

/**
 * The new contents of cells: `f`, `col`, `place` (index of the first date that sees it), `v`. The index after the last
 * date means that no date sees it.
 */
export function panelRows(scope: Scope, query: PanelQuery): string {
  const { double } = scope.dialect;
  return statement(
    lastMembers(scope, query),
    `SELECT ${double("f")} AS feature, col, ${double("place")} AS first_date, v FROM lasts`,
  );
}

/**
 * The self-contained statement for the values at many dates.
 *
 * @param isPart whether to add a column that sorts the rows of several statements
 */
export function panelStatement(
  scope: Scope,
  kinds: readonly (ValueKind | undefined)[],
  query: PanelQuery & { readonly plan: PanelPlan; readonly dates: readonly StoredDate[] },
  isPart = false,
): PartStatement {
  const { dialect } = scope;
  const { columns, datesUs, dates, plan } = query;
  const dateIndexes = new DatePlaces(dialect, datesUs);
  const names = storedNames(dialect, [...panelColumns, ...addedNames(plan)], scope.columns, plan.chosen);
  const now = presentValues(scope, columns, "now");
  const along = now.carried.map(({ name }) => `, ${name}`).join("");
  const byPlace = "PARTITION BY f, col ORDER BY place";
  const values = columns.map((column, index) => `, max(CASE WHEN col = ${column} THEN v END) AS v${index}`).join("");
  const valueOfCell = (column: number) => {
    const index = columns.indexOf(column);
    return `coalesce(v${index}, now${index})`;
  };
  const cells = plan.chosen.map(
    (column, index) => `${castValue(dialect, kinds[column], valueOfCell(column))} AS ${names.properties[index]}`,
  );
  const [date, id, shownId, ...added] = names.ownColumns;
  cells.push(...amounts(dialect, plan, valueOfCell).map((sql, index) => `${sql} AS ${added[index]}`));
  const taken = scope.columns.map((column) => foldCase(column.name));
  const sortedBy = freeName("asked", taken);
  const dateColumn = isPart ? [`asked AS ${dialect.identifier(sortedBy)}`] : [];
  const sql = statement(
    [
      ...now.members,
      ...presenceCtes(scope, [visibleId, ...now.carried], now.joins),
      ...lastMembers(scope, query),
      ...dateCtes(dialect, dates),
      `nexts AS (SELECT f, col, place, v, lead(place) OVER (${byPlace}) AS until, row_number() OVER (${byPlace}) AS n FROM lasts)`,
      // Side 0 is the content of a cell before its first change.
      `intervals AS (SELECT f, col, CASE WHEN side = 1 THEN v ELSE '${UNKNOWN_MARK}' END AS v, CASE WHEN side = 1 THEN place ELSE 0 END AS place,
    CASE WHEN side = 1 THEN coalesce(until, ${datesUs.length}) ELSE place END AS until
  FROM nexts CROSS JOIN ${dialect.numbers("sides", "side", [0, 1])} WHERE side = 1 OR n = 1)`,
      `logged AS (SELECT f AS changed, asked AS changed_date${values}
  FROM intervals JOIN dates ON date_place >= place AND date_place < until GROUP BY f, asked)`,
      appearingCte(scope, dateIndexes, ["f", "visible_id", ...now.carried.map(({ name }) => name)]),
      `cells AS (SELECT f, visible_id${along}, asked, date_text FROM appearing JOIN dates ON date_place >= appears${scope.hasGone ? " AND date_place < leaves" : ""})`,
    ],
    `SELECT ${[`date_text AS ${date}`, `f AS ${id}`, `visible_id AS ${shownId}`, ...cells, ...dateColumn].join(",\n  ")}
FROM cells LEFT JOIN logged ON changed = f AND changed_date = asked
ORDER BY cells.asked, cells.f`,
  );
  const name = dialect.identifier(sortedBy);
  return { sql, afterwards: [(table) => `SELECT * EXCLUDE (${name}) FROM ${table} ORDER BY ${name}, ${id}`] };
}

/** The columns that weights and credits add. */
function amounts(
  dialect: Dialect,
  { weights, staged }: PanelPlan,
  valueOfCell: (column: number) => string,
): readonly string[] {
  const number = weights ? weightOf(dialect, weights, valueOfCell(weights.column as number)) : "";
  const weight = `CASE WHEN ${number} >= 0 THEN ${number} END`;
  const share = staged ? shareOf(dialect, staged.credits, valueOfCell(staged.column)) : "";
  return [
    ...(weights ? [weight, dialect.text(weights.unit)] : []),
    ...(staged ? [weights ? `(${weight}) * ${share}` : share] : []),
  ];
}

function freeName(name: string, taken: readonly string[]): string {
  return taken.includes(name) ? freeName(`${name}_`, taken) : name;
}

/** `lasts`: for each cell and date, the last change that the date is the first to see. */
function lastMembers(scope: Scope, { columns, datesUs }: PanelQuery): string[] {
  const dateIndexes = new DatePlaces(scope.dialect, datesUs);
  return [
    ...changeCtes(scope, columns),
    ...dateIndexes.members(),
    `placed AS (SELECT f, col, id, us, v, ${dateIndexes.indexOf("us", "p")} AS place FROM changes${dateIndexes.joins("us", "p")})`,
    `followed AS (SELECT f, col, place, v, lead(place) OVER (PARTITION BY f, col ORDER BY ${changeOrder()}) AS next_place
  FROM placed)`,
    "lasts AS (SELECT f, col, place, v FROM followed WHERE next_place IS NULL OR next_place <> place)",
  ];
}
