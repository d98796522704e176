// Links from tables to histories, and the data of histories that other code reads without loading their class.

/** Marks histories, so that `isHistory()` recognizes them even if their class is not loaded. */
export const historyBrand: unique symbol = Symbol.for("siteframe.history");

/** By table with a row per feature; these tables hold their source data in memory anyway. */
const histories = new WeakMap<object, object>();

/** Remembers the history that a table was read from, and returns the table. */
export function readFrom<Table extends object>(history: object, table: Table): Table {
  histories.set(table, history);
  return table;
}

/** The history behind a table that `asOf()` or `panel()` returned. */
export function historyBehind(table: unknown): unknown {
  return typeof table === "object" && table !== null ? histories.get(table) : undefined;
}

/** The columns of a history's tables, for completion while the user types, when no question can be asked. */
export interface LiveColumns {
  /** The fields of features before and after properties. */
  readonly fields: { readonly leading: readonly string[]; readonly trailing: readonly string[] };
  /** Number of choices in the definition of a property. */
  choiceCount(name: string): number;
  /** Values of features in a field, or all values that a property may have or had; may repeat. */
  valuesOf(name: string): Iterable<unknown>;
}

const columnsOfHistory = new WeakMap<object, LiveColumns>();

/** Remembers the columns of a history. Stored separately, because completion does not load histories. */
export function rememberColumns(history: object, columns: LiveColumns): void {
  columnsOfHistory.set(history, columns);
}

/** The columns of a value, if it is a history. */
export function liveColumns(value: object): LiveColumns | undefined {
  return columnsOfHistory.get(value);
}
