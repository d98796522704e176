import type { Dialect } from "../dialect/dialect.js";
import { oneOf, type Scope, whereChanges } from "../statement-scope.js";
import { knownUs } from "./feature-ctes.js";

/** Options of `changeMembers()`. */
interface ChangeRows {
  /** Further columns, over `property_changes c`: `c.user_id`. */
  readonly extra?: readonly string[];
  /** Whether to include changes of other properties, with a `col` of null. */
  readonly others?: boolean;
  /** Whether to include `name`, the name of the column. */
  readonly named?: boolean;
  /** Whether `id` has the type that the engine sorts fastest, instead of text. */
  readonly compact?: boolean;
}

/**
 * `changes`: the changes in some columns, with `f`, `id`, `us` (null if its time is invalid or not known yet), `col`
 * and `v`, the new value as JSON text with labels instead of codes. Null is the text `null`, which aggregates keep in
 * every engine.
 *
 * @param columns their indices in the scope
 */
export function changeCtes(
  scope: Scope,
  columns: readonly number[],
  { extra = [], others = false, named = false, compact = false }: ChangeRows = {},
): string[] {
  const { dialect } = scope;
  const keys = columns.flatMap((column) => (scope.columns[column]?.keys ?? []).map((key) => ({ key, column })));
  const [only] = columns;
  const isOne = columns.length === 1 && !others && !named;
  const labels = scope.labels.filter((label) => others || keys.some(({ key }) => key === label.key));
  const value = `coalesce(${labels.length > 0 ? "labels.label, " : ""}c.new_value, 'null')`;
  const id = compact ? dialect.uuid("c.id") : "c.id";
  const selected = ["c.layer_feature_id AS f", `${id} AS id`, `${knownUs(scope, "c")} AS us`];
  const members: string[] = [];
  let joins = "";
  if (!isOne) {
    const none = dialect.none("text");
    const rows = keys.map(({ key, column }) => [
      dialect.text(key),
      String(column),
      dialect.text(scope.columns[column]?.name ?? ""),
    ]);
    const width = named ? 3 : 2;
    // The table must have a row, and this key does not occur.
    const all = [[none, "-1", none], ...rows].map((row) => row.slice(0, width));
    members.push(dialect.relation("keymap", ["k", "col", "name"].slice(0, width), all));
    joins += `${others ? " LEFT" : ""} JOIN keymap ON keymap.k = c.property_key`;
  }
  if (labels.length > 0) {
    const rows = labels.map(({ key, value: code, label }) => [key, code, label].map(dialect.text));
    members.push(dialect.relation("labels", ["k", "v", "label"], rows));
    joins += " LEFT JOIN labels ON labels.k = c.property_key AND labels.v = c.new_value";
  }
  const ofColumn = isOne
    ? ` AND ${oneOf(
        dialect,
        "c.property_key",
        keys.map(({ key }) => key),
      )}`
    : "";
  members.push(`changes AS (SELECT ${[...selected, `${isOne ? only : "keymap.col"} AS col`, `${value} AS v`, ...(named ? ["keymap.name AS name"] : []), ...extra].join(", ")}
  FROM ${dialect.table("property_changes")} c${joins} WHERE ${whereChanges(scope, "c")}${ofColumn})`);
  return members;
}

/**
 * Sort keys of changes: their time, then their id. `history/log/valid-order.ts` uses the same order in memory. Every
 * statement takes the keys from this file; the aggregates of dialects (`lastBy`) depend on the direction: greater is
 * later. `late-edits.ts` relies on it, too.
 */
export const changeKeys = ["us", "id"] as const;

/**
 * Valid order of changes, for `ORDER BY`. Changes without a known time come last.
 *
 * @param us name of the time column
 * @param id name of the id column
 */
export function changeOrder([us, id]: readonly [us: string, id: string] = changeKeys): string {
  return `${us} NULLS LAST, ${id}`;
}

/**
 * The aggregate that returns a value of the last change, among the changes that count and have a known time: see
 * `lastBy()`.
 */
export function ofLastChange(dialect: Dialect, value: string, where?: string): string {
  return dialect.lastBy(value, changeKeys, where);
}

/** The same for the first change. */
export function ofFirstChange(dialect: Dialect, value: string, where?: string): string {
  return dialect.firstBy(value, changeKeys, where);
}
