import { foldCase } from "../../../../tables/sql/sql-names.js";
import { shownValue, UNKNOWN_MARK, type ValueKind } from "../cell-values.js";
import { changeMembers } from "../cte/change-ctes.js";
import { DatePlaces } from "../cte/date-places.js";
import { presentMembers, presentValues } from "../cte/feature-ctes.js";
import { visibleId } from "../cte/interval-ctes.js";
import { dateMembers, type StoredDate } from "../cte/step-ctes.js";
import { CHANGE_ORDER, type PartStatement, type Scope, statement } from "../scope.js";
import { storedNames } from "../stored-names.js";

/** What a panel asks. */
export interface PanelQuery {
  readonly columns: readonly number[];
  /** Dates, ascending, none twice, at least one. */
  readonly datesUs: readonly number[];
}

/**
 * What cells change to: `f`, `col`, `place` of the first date that sees it, `v`. The place behind the last date stands
 * for all that no date sees.
 */
export function panelRows(scope: Scope, query: PanelQuery): string {
  return statement(
    lastMembers(scope, query),
    "SELECT CAST(f AS DOUBLE) AS feature, col, CAST(place AS DOUBLE) AS first_date, v FROM lasts",
  );
}

/**
 * Values at many dates, complete by itself.
 *
 * @param isPart whether there is a column more, by which the rows of several statements are sorted
 */
export function panelTable(
  scope: Scope,
  kinds: readonly (ValueKind | undefined)[],
  query: PanelQuery & { readonly dates: readonly StoredDate[] },
  isPart = false,
): PartStatement {
  const { dialect } = scope;
  const { columns, datesUs, dates } = query;
  const places = new DatePlaces(dialect, datesUs);
  const names = storedNames(dialect, ["date", "id", "visible_id"], scope.columns, columns);
  const now = presentValues(scope, columns, "now");
  const along = now.carried.map(({ name }) => `, ${name}`).join("");
  const byPlace = "PARTITION BY f, col ORDER BY place";
  const picks = columns.map((column, place) => `, max(CASE WHEN col = ${column} THEN v END) AS v${place}`).join("");
  const shown = columns.map(
    (column, place) =>
      `${shownValue(dialect, kinds[column], `coalesce(v${place}, now${place})`)} AS ${names.properties[place]}`,
  );
  const [date, id, shownId] = names.own;
  const taken = scope.columns.map((column) => foldCase(column.name));
  const sortedBy = freeName("asked", taken);
  const place = isPart ? [`asked AS ${dialect.identifier(sortedBy)}`] : [];
  const sql = statement(
    [
      ...now.members,
      ...presentMembers(scope, [visibleId, ...now.carried], now.joins),
      ...lastMembers(scope, query),
      ...dateMembers(dialect, dates),
      `nexts AS (SELECT f, col, place, v, lead(place) OVER (${byPlace}) AS until, row_number() OVER (${byPlace}) AS n FROM lasts)`,
      // Side 0 is what a cell says before its first change.
      `stretches AS (SELECT f, col, CASE WHEN side = 1 THEN v ELSE '${UNKNOWN_MARK}' END AS v, CASE WHEN side = 1 THEN place ELSE 0 END AS place,
    CASE WHEN side = 1 THEN coalesce(until, ${datesUs.length}) ELSE place END AS until
  FROM nexts CROSS JOIN ${dialect.numbers("sides", "side", [0, 1])} WHERE side = 1 OR n = 1)`,
      `said AS (SELECT f AS changed, asked AS changed_date${picks}
  FROM stretches JOIN dates ON date_place >= place AND date_place < until GROUP BY f, asked)`,
      `appearing AS (SELECT f, visible_id${along}, ${places.place("from_us", "a")} AS appears FROM present${places.joins("from_us", "a")})`,
      `cells AS (SELECT f, visible_id${along}, asked, date_text FROM appearing JOIN dates ON date_place >= appears)`,
    ],
    `SELECT ${[`date_text AS ${date}`, `f AS ${id}`, `visible_id AS ${shownId}`, ...shown, ...place].join(",\n  ")}
FROM cells LEFT JOIN said ON changed = f AND changed_date = asked
ORDER BY cells.asked, cells.f`,
  );
  const name = dialect.identifier(sortedBy);
  return { sql, afterwards: [(table) => `SELECT * EXCLUDE (${name}) FROM ${table} ORDER BY ${name}, ${id}`] };
}

function freeName(name: string, taken: readonly string[]): string {
  return taken.includes(name) ? freeName(`${name}_`, taken) : name;
}

/** `lasts`: of each cell and date the last change that it is the first to see. */
function lastMembers(scope: Scope, { columns, datesUs }: PanelQuery): string[] {
  const places = new DatePlaces(scope.dialect, datesUs);
  return [
    ...changeMembers(scope, columns),
    ...places.members(),
    `placed AS (SELECT f, col, id, us, v, ${places.place("us", "p")} AS place FROM changes${places.joins("us", "p")})`,
    `followed AS (SELECT f, col, place, v, lead(place) OVER (PARTITION BY f, col ORDER BY ${CHANGE_ORDER}) AS next_place
  FROM placed)`,
    "lasts AS (SELECT f, col, place, v FROM followed WHERE next_place IS NULL OR next_place <> place)",
  ];
}
