import type { Dialect } from "../dialect/dialect.js";
import type { Scope } from "../scope/scope.js";
import type { Carried } from "./feature-members.js";

/** What features have at present in some columns. */
export interface PresentValues {
  /** The values as JSON texts, `null` where there is none: one a column, over `layer_features f` with `joins`. */
  readonly carried: readonly Carried[];
  /** Members of `WITH` that the joins need. */
  readonly members: readonly string[];
  readonly joins: string;
}

/**
 * The present values of columns: of each feature the first of the column's keys that has one, with its label.
 *
 * @param name what the carried columns are called: `now0`, `now1`, …
 */
export function presentValues(scope: Scope, columns: readonly number[], name: string): PresentValues {
  const found = columns.map((column, place) => presentValue(scope, column, `${name}${place}`));
  return {
    carried: found.map(({ carried }) => carried),
    members: found.flatMap(({ members }) => members),
    joins: found.map(({ joins }) => joins).join(""),
  };
}

/** The present values of all columns of a scope, of which each row wants one. */
export interface PresentCells extends PresentValues {
  /**
   * What a cell has at present.
   *
   * @param column place of its column, an expression
   */
  of(column: string): string;
}

/** The present values of all columns, one in each row. */
export function presentCells(scope: Scope): PresentCells {
  const { dialect, columns } = scope;
  const { entriesOf } = dialect;
  if (entriesOf && isWide(scope, columns.length)) {
    const keys = columns.map((column) => column.keys);
    return { ...wholeValues, of: (column) => `coalesce(${entriesOf.firstOf("properties", keys, column)}, 'null')` };
  }
  const places = columns.map((_, place) => place);
  const cases = places.map((place) => `WHEN ${place} THEN now${place}`).join(" ");
  const none = `CAST(NULL AS ${dialect.textType})`;
  const of = (column: string) => (columns.length === 0 ? none : `CASE ${column} ${cases} END`);
  return { ...presentValues(scope, places, "now"), of };
}

/** Columns from which on each is looked up where it is selected, and not carried from member to member. */
const WIDE = 256;

/**
 * Whether there are so many columns that to carry each through members takes more memory and time than to look it up. Only
 * where the engine has a word for what that needs, and no value has a label.
 */
export function isWide({ dialect, labels }: Scope, columns: number): boolean {
  return dialect.entriesOf !== undefined && labels.length === 0 && columns >= WIDE;
}

/** All present values of a feature by key, as `properties`. */
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
  const own = labels.filter(({ key }) => keys.includes(key));
  if (own.length === 0) return { carried: { name, sql: `coalesce(${value}, 'null')` }, members: [], joins: "" };
  const table = `${name}_labels`;
  const rows = own.map(({ key, value: code, label }) => [key, code, label].map(dialect.text));
  const cases = keys.map((key, place) => `WHEN ${entries[place]} IS NOT NULL THEN ${dialect.text(key)}`);
  return {
    carried: { name, sql: `coalesce(${table}.label, ${value}, 'null')` },
    members: [dialect.relation(table, ["k", "v", "label"], rows)],
    joins: ` LEFT JOIN ${table} ON ${table}.k = CASE ${cases.join(" ")} END AND ${table}.v = ${value}`,
  };
}

/** Engines take coalesce() of one for a mistake. */
function firstOf({ textType }: Dialect, entries: readonly string[]): string {
  if (entries.length > 1) return `coalesce(${entries.join(", ")})`;
  return entries[0] ?? `CAST(NULL AS ${textType})`;
}
