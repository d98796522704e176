import type { BaseField } from "../../../../tables/read/feature-columns.js";
import type { StageCredits } from "../../../columns/credits.js";
import type { Weights } from "../../../columns/weights.js";
import { baseColumn, castValue, UNCHANGED_MARK, UNKNOWN_MARK, unmarked, type ValueKind } from "../cell-values.js";
import type { Dialect } from "../dialect/dialect.js";
import { tableCtes } from "../dialect/literals.js";
import type { Scope } from "../statement-scope.js";
import { storedNames } from "../stored-names.js";
import { changeCtes, changeOrder } from "./change-ctes.js";
import { DatePlaces } from "./date-places.js";
import { type Carried, presenceCtes, presentValues } from "./feature-ctes.js";

/** Contents and groups of features at dates. */
export interface DeltasQuery {
  readonly column: number;
  /** Ascending distinct dates, at least one. */
  readonly datesUs: readonly number[];
  readonly by: Grouping;
  /** The column with the weight of each feature, if quantities are requested. */
  readonly weight?: number | undefined;
}

/**
 * A column whose values are part of deltas, by the letter of their columns: `v` for the counted value, `g` for the
 * group, `w` for the weight.
 */
interface DeltaColumn {
  readonly letter: "v" | "g" | "w";
  /** Letter of the members before: `c`, `g`, `w`. */
  readonly name: "c" | "g" | "w";
  readonly column: number;
}

function deltaColumns({ column, by, weight }: DeltasQuery): readonly DeltaColumn[] {
  return [
    { letter: "v", name: "c", column },
    ...(by.kind === "column" ? [{ letter: "g", name: "g", column: by.column } as const] : []),
    ...(weight === undefined ? [] : [{ letter: "w", name: "w", column: weight } as const]),
  ];
}

/**
 * `deltas`: contents that features gain and lose, each with the first date that sees it: `f`, `place` (index of the
 * date), `step` (1 or −1), `v` (JSON text, with a mark if it was never changed, or the mark of an unknown value), the
 * group `g`, which is like `v` for a property, and with a weight `w`, which is like `v`. The sum of deltas up to a date
 * is the count at that date.
 *
 * @param groupKey common expression of the features of one group, if a base field groups them, over `layer_features f`
 */
export function deltaCtes(scope: Scope, query: DeltasQuery, groupKey: string | undefined): string[] {
  const { dialect } = scope;
  const { datesUs } = query;
  const dateIndexes = new DatePlaces(dialect, datesUs);
  const all = deltaColumns(query);
  const isAlone = all.length === 1;
  const columns = all.map(({ column }) => column);
  const now = presentValues(scope, columns, "now");
  const carried: readonly Carried[] = [
    ...(groupKey === undefined ? [] : [{ name: "grouped", sql: groupKey }]),
    ...now.carried,
  ];
  const rows = eventRows(dialect, datesUs.length);
  const events = scope.hasGone
    ? { name: "staying", extra: ", side, leaves", rows }
    : { name: "events", extra: "", rows };
  return [
    ...now.members,
    ...presenceCtes(scope, carried, now.joins),
    ...changeCtes(scope, [...new Set(columns)]),
    ...dateIndexes.members(),
    ...(isAlone ? seenAlone(dateIndexes) : seenTogether(dateIndexes, all)),
    appearingCte(scope, dateIndexes, ["f", ...carried.map(({ name }) => name)]),
    ...(isAlone
      ? eventsOfColumn(events, groupKey === undefined ? dialect.none("text") : "grouped")
      : eventsOfColumns(dialect, events, all, groupKey === undefined ? undefined : "grouped")),
    ...(scope.hasGone ? leavingEvents(query) : []),
    `deltas AS (SELECT f, place, step, CASE WHEN step = 1 THEN v ELSE v_before END AS v, CASE WHEN step = 1 THEN g ELSE g_before END AS g${
      query.weight === undefined ? "" : ", CASE WHEN step = 1 THEN w ELSE w_before END AS w"
    }
  FROM events CROSS JOIN ${dialect.numbers("signs", "step", [1, -1])} WHERE (step = 1 AND v IS NOT NULL) OR (step = -1 AND v_before IS NOT NULL))`,
  ];
}

const inOrder = `PARTITION BY f ORDER BY ${changeOrder()}`;
const byPlace = "PARTITION BY f ORDER BY place";

/**
 * `seen`: for each feature and date, the last change that the date is the first to see: `changed` (the feature),
 * `place`, its value `vc`, the previous value, its number `n` among the changes of the feature, and their total number.
 * The index after the last date means that no date sees it.
 */
function seenAlone(dateIndexes: DatePlaces): string[] {
  return [
    `placed AS (SELECT f, id, us, v AS vc, ${dateIndexes.indexOf("us", "p")} AS place FROM changes${dateIndexes.joins("us", "p")})`,
    `followed AS (SELECT f, place, vc, lead(place) OVER (${inOrder}) AS next_place FROM placed)`,
    `seen AS (SELECT f AS changed, place, vc, lag(vc) OVER (${byPlace}) AS vc_before, row_number() OVER (${byPlace}) AS n
  FROM followed WHERE next_place IS NULL OR next_place <> place)`,
  ];
}

/** `seen` for several columns, with the values of each then: `vc`, `vg` and `vw`, null before the first change. */
function seenTogether(dateIndexes: DatePlaces, all: readonly DeltaColumn[]): string[] {
  const names = all.map(({ name }) => name);
  const each = (write: (name: string) => string) => names.map(write).join(", ");
  const values = all.map(({ name, column }) => `CASE WHEN col = ${column} THEN v END AS v${name}`).join(", ");
  const upTo = `${inOrder} ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW`;
  return [
    `placed AS (SELECT f, id, us, ${values}, ${dateIndexes.indexOf("us", "p")} AS place
  FROM changes${dateIndexes.joins("us", "p")})`,
    `counted AS (SELECT f, place, ${each((name) => `v${name}`)}, lead(place) OVER (${inOrder}) AS next_place,
    ${each((name) => `count(v${name}) OVER (${upTo}) AS n${name}`)},
    ${each((name) => `count(v${name}) OVER (PARTITION BY f) AS all_${name}`)} FROM placed)`,
    // The row with the change comes first among the rows with the same running count of a column's changes.
    `filled AS (SELECT f, place, next_place, ${each((name) => `all_${name}`)},
    ${each((name) => `max(v${name}) OVER (PARTITION BY f, n${name}) AS v${name}`)} FROM counted)`,
    `seen AS (SELECT f AS changed, place, ${each((name) => `v${name}`)}, ${each((name) => `all_${name}`)},
    ${each((name) => `lag(v${name}) OVER (${byPlace}) AS v${name}_before`)}, row_number() OVER (${byPlace}) AS n
  FROM filled WHERE next_place IS NULL OR next_place <> place)`,
  ];
}

/** The rows of `appearing` and `seen` as events: on side 0 a feature appears, on side 1 it changes. */
function eventRows(dialect: Dialect, dateCount: number): string {
  return `FROM appearing LEFT JOIN seen ON changed = f CROSS JOIN ${dialect.numbers("sides", "side", [0, 1])}
  WHERE (side = 1 AND place < ${dateCount}) OR (side = 0 AND appears < ${dateCount} AND (changed IS NULL OR n = 1))`;
}

const eventPlace = "CASE WHEN side = 1 THEN place ELSE appears END AS place";

/** Events as a member of `WITH`. */
interface Events {
  readonly name: string;
  /** Columns to include. */
  readonly extra: string;
  readonly rows: string;
}

/** `events`: when features appear and change, with their contents before and after. */
function eventsOfColumn({ name, extra, rows }: Events, group: string): string[] {
  const before = `CASE WHEN changed IS NULL THEN concat('${UNCHANGED_MARK}', now0) ELSE '${UNKNOWN_MARK}' END`;
  return [
    `${name} AS (SELECT f, ${eventPlace}, CASE WHEN side = 1 THEN vc ELSE ${before} END AS v,
    CASE WHEN side = 1 THEN coalesce(vc_before, '${UNKNOWN_MARK}') END AS v_before, ${group} AS g, ${group} AS g_before${extra}
  ${rows})`,
  ];
}

/**
 * `events` for several columns that may change.
 *
 * @param grouped column of the base field that groups the features, if any
 */
function eventsOfColumns(
  dialect: Dialect,
  { name: events, extra, rows }: Events,
  all: readonly DeltaColumn[],
  grouped: string | undefined,
): string[] {
  const each = (write: (column: DeltaColumn, index: number) => string) => all.map(write).join(", ");
  const before = (changes: string, now: string) =>
    `CASE WHEN ${changes} > 0 THEN '${UNKNOWN_MARK}' ELSE concat('${UNCHANGED_MARK}', ${now}) END`;
  const isGroupColumn = all.some(({ letter }) => letter === "g");
  const group = grouped ?? dialect.none("text");
  const constant = isGroupColumn ? "" : `, ${group} AS g, ${group} AS g_before`;
  return [
    `raw_events AS (SELECT f${extra === "" ? ", side" : extra}, ${eventPlace}, ${each(({ name }) => `v${name}, v${name}_before`)},
    ${each(({ letter, name }, index) => `${before(`all_${name}`, `now${index}`)} AS ${letter}0`)}${grouped === undefined ? "" : `, ${grouped}`}
  ${rows})`,
    `${events} AS (SELECT f${extra}, place, ${each(
      ({ letter, name }) => `CASE WHEN side = 1 THEN coalesce(v${name}, ${letter}0) ELSE ${letter}0 END AS ${letter},
    CASE WHEN side = 1 THEN coalesce(v${name}_before, ${letter}0) END AS ${letter}_before`,
    )}${constant}
  FROM raw_events)`,
  ];
}

/**
 * `events` of `staying`, if some features are gone: events from the date at which a feature is gone are left out, and
 * its last value ends at that date.
 */
function leavingEvents(query: DeltasQuery): string[] {
  const letters = ["v", "g", ...(query.weight === undefined ? [] : ["w"])];
  const kept = letters.map((letter) => `${letter}, ${letter}_before`).join(", ");
  const ceased = letters.map((letter) => `CASE WHEN nth = 0 THEN ${letter} END, ${letter}`).join(", ");
  return [
    `lasting AS (SELECT *, row_number() OVER (PARTITION BY f ORDER BY place DESC, side DESC) AS nth
  FROM staying WHERE place < leaves)`,
    `events AS (SELECT f, place, ${kept} FROM lasting
  UNION ALL SELECT f, leaves, ${ceased} FROM lasting WHERE nth = 1 AND leaves < ${query.datesUs.length})`,
  ];
}

/**
 * `appearing`: the dates that see each feature: `appears` is the index of the first, `leaves` the index of the first at
 * which the feature is gone, if some are gone.
 *
 * @param carried columns of `present`
 */
export function appearingCte({ hasGone }: Scope, dateIndexes: DatePlaces, carried: readonly string[]): string {
  const [leaves, joins] = hasGone
    ? [`, ${dateIndexes.indexOf("until_us", "b")} AS leaves`, dateIndexes.joins("until_us", "b")]
    : ["", ""];
  return `appearing AS (SELECT ${carried.join(", ")}, ${dateIndexes.indexOf("from_us", "a")} AS appears${leaves} FROM present${dateIndexes.joins("from_us", "a")}${joins})`;
}

/** A date as requested. */
export interface StoredDate {
  /** As text: the ISO 8601 form for a `Date`. */
  readonly text: string;
  /** Its index among the ascending distinct dates. */
  readonly index: number;
}

/** Amounts that are summed at dates, for a stored result. */
export interface StoredDeltas extends DeltasQuery {
  readonly dates: readonly StoredDate[];
}

/** The columns of a stored result about dates. */
interface DatedColumns {
  /** Quoted names of the result's own columns. */
  readonly ownColumns: readonly string[];
  /** The first columns, the date and the group if any, over `date_text` and `g`. */
  readonly leading: string;
}

/** `dates`: `asked` (number of a date in the requested order), `date_place`, `date_text`. */
export function dateCtes(dialect: Dialect, dates: readonly StoredDate[]): string[] {
  const rows = dates.map(({ text, index }, dateIndex) => [String(dateIndex), String(index), dialect.text(text)]);
  return tableCtes(dialect, "dates", ["asked", "date_place", "date_text"], rows);
}

/** @param ownNames names of the result's own columns; the first is the date */
export function datedColumns(
  scope: Scope,
  kinds: readonly (ValueKind | undefined)[],
  by: Grouping,
  ownNames: readonly string[],
): DatedColumns {
  const { dialect, columns } = scope;
  const group =
    by.kind === "column" ? columns[by.column] : by.kind === "field" ? { name: by.field, keys: [] } : undefined;
  const names = storedNames(dialect, ownNames, group ? [group] : [], group ? [0] : []);
  const groups = names.properties.map((name) => `${shownGroup(dialect, kinds, by)} AS ${name}`);
  return { ownColumns: names.ownColumns, leading: [`date_text AS ${names.ownColumns[0]}`, ...groups].join(", ") };
}

/** How the counted features are grouped: by a base field, by a property as of the same date, or not at all. */
export type Grouping =
  | { readonly kind: "none" }
  | { readonly kind: "field"; readonly field: BaseField }
  | { readonly kind: "column"; readonly column: number };

/**
 * Common expression of the features of one group, over `layer_features f`. Features with different results may still
 * belong to one group: geometries are compared as written, and invalid times are null.
 */
export function groupKey(dialect: Dialect, by: Grouping): string | undefined {
  if (by.kind !== "field") return undefined;
  if (by.field === "geometry") return "f.id";
  if (by.field !== "created_at" && by.field !== "updated_at") return `f.${by.field}`;
  return `coalesce(${dialect.us(`f.${by.field}`)}, -f.id)`;
}

/** The same in a stored result, over `layer_features f`. */
export function storedGroupKey(dialect: Dialect, by: Grouping): string | undefined {
  return by.kind === "field" ? baseColumn(dialect, by.field) : undefined;
}

/** The value that becomes the group `g` of a step: a property's value, in any state. */
export function groupValue(by: Grouping): string {
  return by.kind === "column" ? `CASE WHEN g = '${UNKNOWN_MARK}' THEN 'null' ELSE ${unmarked("g")} END` : "g";
}

/** A group in a stored result. */
function shownGroup(dialect: Dialect, kinds: readonly (ValueKind | undefined)[], by: Grouping): string {
  return by.kind === "column" ? castValue(dialect, kinds[by.column], "g") : "g";
}

/** A weight as a number; null for a feature without one. */
export function weightOf(dialect: Dialect, { areIntegers }: Weights, value: string): string {
  return dialect.double(castValue(dialect, areIntegers ? "integer" : "number", value));
}

/** `weighed`: the rows of `deltas` with `weight`; null if the weight is missing or cannot be added. */
export function weighedCte(dialect: Dialect, weights: Weights): string {
  const columns = "f, place, step, v, g, w";
  return `weighed AS (SELECT ${columns}, CASE WHEN weight_number >= 0 THEN weight_number END AS weight
  FROM (SELECT ${columns}, ${weightOf(dialect, weights, unmarked("w"))} AS weight_number FROM deltas) numbered)`;
}

/** The share that a value earns; null if it has none. */
export function shareOf(dialect: Dialect, { stages }: StageCredits, value: string): string {
  const cases = stages.flatMap(([stage, share]) =>
    jsonTexts(stage).map((json) => `WHEN ${value} = ${dialect.text(json)} THEN ${share}`),
  );
  return dialect.double(`CASE WHEN ${value} IN ('null', '${UNKNOWN_MARK}') THEN NULL ${cases.join(" ")} ELSE 0 END`);
}

/** The values of a stage in credits: the string itself, and the JSON value that it may spell. */
function jsonTexts(stage: string): readonly string[] {
  const text = JSON.stringify(stage);
  try {
    const value: unknown = JSON.parse(stage);
    return typeof value === "string" || value === null ? [text] : [text, stage];
  } catch {
    return [text];
  }
}
