import type { Column } from "../tables/column/column.js";

/** What a history says of the tables that it would give, where nothing may be asked: while somebody types. */
export interface LiveColumns {
  /** The fields of features that stand before and after properties. */
  readonly fields: { readonly leading: readonly string[]; readonly trailing: readonly string[] };
  /** What features have in a field or a property at present. */
  present(name: string): Column | undefined;
  /** What changes say that a property had. */
  logged(name: string): Iterable<unknown>;
}

const told = new WeakMap<object, LiveColumns>();

/** Remembers what a history says. Kept apart from it, since who completes names loads no history. */
export function tellColumns(history: object, columns: LiveColumns): void {
  told.set(history, columns);
}

/** What a value says, if it is a history. */
export function liveColumns(value: object): LiveColumns | undefined {
  return told.get(value);
}
