import { BEGINNING_US, NEVER_US } from "../cell-values.js";
import type { Dialect } from "../dialect/dialect.js";
import { type SqlExpression, tableCtes, usLiteral } from "../dialect/literals.js";
import { featureRows, type Scope, whereChanges, whereFeatures } from "../statement-scope.js";

/** A column that a member passes on. */
export interface Carried {
  readonly name: string;
  /** Over `layer_features f` and its joins. */
  readonly sql: string;
}

/**
 * `feat`: the features as `f`, with `created_us` (null if unknown), the carried columns, and if some are gone `gone_us`
 * (null if the feature exists).
 *
 * @param joins SQL after `FROM layer_features f`
 */
export function featureCte(scope: Scope, carried: readonly Carried[] = [], joins = ""): string {
  const { dialect } = scope;
  const extra = carried.map(({ name, sql }) => `, ${sql} AS ${name}`).join("");
  const gone = scope.hasGone ? ", f.gone_us" : "";
  return `feat AS (SELECT f.id AS f, ${dialect.us("f.created_at")} AS created_us${gone}${extra}
  FROM ${featureRows(scope)} f${joins} WHERE ${whereFeatures(scope, "f")})`;
}

/** `firsts`: when the first known change of each feature was made, for any property. */
export function firstsCte(scope: Scope): string {
  return `firsts AS (SELECT c.layer_feature_id AS f, min(${knownUs(scope, "c")}) AS first_us
  FROM ${scope.dialect.table("property_changes")} c WHERE ${whereChanges(scope, "c")} GROUP BY c.layer_feature_id)`;
}

/**
 * The interval in which a feature exists, from `created_us`, `gone_us` and `first_us` (its first change): `from_us`,
 * and if some features are gone `until_us`.
 */
export function existence({ hasGone, lastKnownUs }: Scope): string {
  const never = usLiteral(NEVER_US);
  const limit = lastKnownUs === undefined ? undefined : usLiteral(lastKnownUs);
  const later = limit === undefined ? "" : `\n    WHEN created_us > ${limit} THEN coalesce(first_us, ${never})`;
  const remains = `gone_us IS NULL${limit === undefined ? "" : ` OR gone_us > ${limit}`}`;
  const until = hasGone ? `, CASE WHEN ${remains} THEN ${never} ELSE gone_us END AS until_us` : "";
  return `CASE WHEN created_us IS NULL THEN ${usLiteral(BEGINNING_US)}${later}
    WHEN first_us < created_us THEN first_us ELSE created_us END AS from_us${until}`;
}

/** Condition on rows with `from_us`: the feature exists at a time. */
export function existsAt({ hasGone }: Scope, us: number | SqlExpression): string {
  return `from_us <= ${usLiteral(us)}${hasGone ? ` AND until_us > ${usLiteral(us)}` : ""}`;
}

/** Condition: the feature does not exist at a time. */
export function isAbsentAt({ hasGone }: Scope, us: number | SqlExpression): string {
  return `from_us > ${usLiteral(us)}${hasGone ? ` OR until_us <= ${usLiteral(us)}` : ""}`;
}

/** Conditions: the feature exists at some time. */
export function everExists({ hasGone, lastKnownUs }: Scope): readonly string[] {
  if (hasGone) return ["from_us < until_us"];
  return lastKnownUs === undefined ? [] : [`from_us < ${usLiteral(NEVER_US)}`];
}

/** `feat`, `firsts` and `present`: the features with the interval in which they exist, and the carried columns. */
export function presenceCtes(scope: Scope, carried: readonly Carried[] = [], joins = ""): string[] {
  const extra = carried.map(({ name }) => `, feat.${name}`).join("");
  return [
    featureCte(scope, carried, joins),
    firstsCte(scope),
    `present AS (SELECT feat.f${extra}, ${existence(scope)}
  FROM feat LEFT JOIN firsts ON firsts.f = feat.f)`,
  ];
}

/** When a change was made, in microseconds since 1970; null if its time is invalid or not known yet. */
export function knownUs({ dialect, knownUpTo }: Scope, alias: string): string {
  const us = dialect.us(`${alias}.created_at`);
  if (knownUpTo === undefined) return us;
  const last = typeof knownUpTo === "string" ? dialect.text(knownUpTo) : knownUpTo.sql;
  return `CASE WHEN ${alias}.id <= ${last} THEN ${us} END`;
}

/** The current values of features in some columns. */
interface PresentValues {
  /** The values as JSON texts, `null` if missing: one per column, over `layer_features f` with `joins`. */
  readonly carried: readonly Carried[];
  /** Members of `WITH` that the joins need. */
  readonly members: readonly string[];
  readonly joins: string;
}

/**
 * The current values of columns: for each feature the first value under the column's keys, with its label.
 *
 * @param name prefix of the carried columns: `now0`, `now1`, …
 */
export function presentValues(scope: Scope, columns: readonly number[], name: string): PresentValues {
  const present = columns.map((column, index) => presentValue(scope, column, `${name}${index}`));
  return {
    carried: present.map(({ carried }) => carried),
    members: present.flatMap(({ members }) => members),
    joins: present.map(({ joins }) => joins).join(""),
  };
}

/** The current values of all columns of a scope, of which each row needs one. */
interface PresentCells extends PresentValues {
  /**
   * The current value of a cell.
   *
   * @param column index of its column, an expression
   */
  of(column: string): string;
}

/** The current values of all columns, one per row. */
export function presentCells(scope: Scope): PresentCells {
  const { dialect, columns } = scope;
  const { entriesOf } = dialect;
  if (entriesOf && isWide(scope, columns.length)) {
    const keys = columns.map((column) => column.keys);
    return { ...wholeValues, of: (column) => `coalesce(${entriesOf.firstOf("properties", keys, column)}, 'null')` };
  }
  const indexes = columns.map((_, index) => index);
  const cases = indexes.map((index) => `WHEN ${index} THEN now${index}`).join(" ");
  const of = (column: string) => (columns.length === 0 ? dialect.none("text") : `CASE ${column} ${cases} END`);
  return { ...presentValues(scope, indexes, "now"), of };
}

/**
 * From this number of columns on, each is looked up where it is selected, instead of being passed from member to
 * member.
 */
const WIDE = 256;

/**
 * Whether there are so many columns that passing each through members takes more memory and time than looking it up.
 * Only if the engine supports this, and no value has a label.
 */
export function isWide({ dialect, labels }: Scope, columns: number): boolean {
  return dialect.entriesOf !== undefined && labels.length === 0 && columns >= WIDE;
}

/** All current values of a feature by key, as `properties`. */
export const wholeValues: PresentValues = {
  carried: [{ name: "properties", sql: "f.properties" }],
  members: [],
  joins: "",
};

function presentValue(scope: Scope, column: number, name: string) {
  const { dialect, labels } = scope;
  const keys = scope.columns[column]?.keys ?? [];
  const entries = keys.map((key) => dialect.entry("f.properties", key));
  const value = firstOf(dialect, entries);
  const labelsOfKeys = labels.filter(({ key }) => keys.includes(key));
  if (labelsOfKeys.length === 0)
    return { carried: { name, sql: `coalesce(${value}, 'null')` }, members: [], joins: "" };
  const table = `${name}_labels`;
  const rows = labelsOfKeys.map(({ key, value: code, label }) => [key, code, label].map(dialect.text));
  const cases = keys.map((key, index) => `WHEN ${entries[index]} IS NOT NULL THEN ${dialect.text(key)}`);
  return {
    carried: { name, sql: `coalesce(${table}.label, ${value}, 'null')` },
    members: [dialect.relation(table, ["k", "v", "label"], rows)],
    joins: ` LEFT JOIN ${table} ON ${table}.k = CASE ${cases.join(" ")} END AND ${table}.v = ${value}`,
  };
}

/** Engines reject coalesce() with one argument. */
function firstOf({ none }: Dialect, entries: readonly string[]): string {
  if (entries.length > 1) return `coalesce(${entries.join(", ")})`;
  return entries[0] ?? none("text");
}

/**
 * `cols`: the columns of a scope, with `name`.
 *
 * @param index name of the column for their indices
 */
export function columnCtes({ dialect, columns }: Scope, index: string): string[] {
  const rows = columns.map(({ name }, column) => [String(column), dialect.text(name)]);
  return tableCtes(dialect, "cols", [index, "name"], rows);
}
