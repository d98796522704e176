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
