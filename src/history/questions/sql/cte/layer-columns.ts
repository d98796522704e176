import { leadingFields, trailingFields } from "../../../../layer/layer-data.js";
import { baseColumn, castValue, loggedValue, type ValueKind } from "../cell-values.js";
import { type Scope, statement } from "../statement-scope.js";
import { type StoredNames, storedNames } from "../stored-names.js";
import { type Carried, featureCte, isWide, presentValues, wholeValues } from "./feature-ctes.js";

const fields = [...leadingFields, ...trailingFields];

/** The selected property columns of a layer, by their indices in the scope. */
export interface LayerSelection {
  readonly columns: readonly number[];
  /** Columns followed by another column with all values as they were logged, as JSON text. */
  readonly asLogged?: ReadonlySet<number> | undefined;
}

/** Names of the columns of a layer. */
export function layerNames({ dialect, columns: all }: Scope, { columns, asLogged }: LayerSelection): StoredNames {
  return storedNames(dialect, fields, all, columns, asLogged);
}

/** The columns of a layer in a stored result. */
interface LayerColumns {
  /** Members of `WITH` up to `feat`, which carries base fields and the current values `now0`, `now1`, … */
  readonly members: readonly string[];
  /** Expressions over `feat` and its joins; the feature's id comes first. */
  readonly selected: string;
}

/**
 * The base fields of features with property columns between them.
 *
 * @param valueSql returns the expression of a property column, by its indices in the scope and in `columns`, from the JSON
 * text of its current value
 * @param logged returns the JSON text that it is made from, by its index in `columns`
 */
export function layerColumns(
  scope: Scope,
  selection: LayerSelection,
  valueSql: (column: number, index: number, now: string) => string,
  logged: (index: number, now: string) => string,
): LayerColumns {
  const { columns } = selection;
  const names = layerNames(scope, selection);
  const isWhole = isWide(scope, columns.length);
  const now = isWhole ? wholeValues : presentValues(scope, columns, "now");
  const nowOf = (column: number, index: number) => (isWhole ? presentValue(scope, column) : `now${index}`);
  const carried = fields.map(
    (field, index): Carried => ({ name: `base${index}`, sql: baseColumn(scope.dialect, field) }),
  );
  const base = carried.map(({ name }, index) => `${name} AS ${names.ownColumns[index]}`);
  const properties = columns.flatMap((column, index) => {
    const typed = `${valueSql(column, index, nowOf(column, index))} AS ${names.properties[index]}`;
    const asLogged = names.asLogged.get(column);
    return asLogged === undefined ? [typed] : [typed, `${logged(index, nowOf(column, index))} AS ${asLogged}`];
  });
  const selected = [...base.slice(0, leadingFields.length), ...properties, ...base.slice(leadingFields.length)];
  return {
    members: [...now.members, featureCte(scope, [...carried, ...now.carried], now.joins)],
    selected: selected.join(",\n  "),
  };
}

/**
 * The self-contained statement for the current layer.
 *
 * @param selection columns of the layer to select
 * @param kinds kinds of the scope's columns
 */
export function presentTable(
  fullScope: Scope,
  selection: LayerSelection,
  kinds: readonly (ValueKind | undefined)[],
): string {
  const scope = { ...fullScope, hasGone: false };
  const { members, selected } = layerColumns(
    scope,
    selection,
    (column, _, now) => castValue(scope.dialect, kinds[column], now),
    (_, now) => loggedValue(now),
  );
  return statement(members, `SELECT ${selected}\nFROM feat ORDER BY 1`);
}

function presentValue({ dialect, columns }: Scope, column: number): string {
  const entries = (columns[column]?.keys ?? []).map((key) => dialect.entry("properties", key));
  return `coalesce(${[...entries, "'null'"].join(", ")})`;
}
