/** By tables with a row for a feature; they hold what they were read from anyway. */
const histories = new WeakMap<object, object>();

/** Remembers the history that a table was read from, and gives back the table. */
export function readFrom<Table extends object>(history: object, table: Table): Table {
  histories.set(table, history);
  return table;
}

/** The history that a table was read from, if it is one that `asOf()` or `panel()` gave. */
export function historyBehind(table: unknown): unknown {
  return typeof table === "object" && table !== null ? histories.get(table) : undefined;
}
