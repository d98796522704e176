/** What a history says of the tables that it would give, where nothing may be asked: while somebody types. */
export interface LiveColumns {
  /** The fields of features that stand before and after properties. */
  readonly fields: { readonly leading: readonly string[]; readonly trailing: readonly string[] };
  /** How many choices the definition of a property lists. */
  choiceCount(name: string): number;
  /** What features have in a field, and all that a property may have or had; values may come several times. */
  valuesOf(name: string): Iterable<unknown>;
}

const columnsOfHistory = new WeakMap<object, LiveColumns>();

/** Remembers what a history says. Kept apart from it, since who completes names loads no history. */
export function rememberColumns(history: object, columns: LiveColumns): void {
  columnsOfHistory.set(history, columns);
}

/** What a value says, if it is a history. */
export function liveColumns(value: object): LiveColumns | undefined {
  return columnsOfHistory.get(value);
}
