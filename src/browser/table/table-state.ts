// The state of a table: what its user has set. It is JSON, so that it can be saved with the notebook. Columns are given
// by index. Functions return a changed part of the state.

import type { CellFilter, RowQuestion } from "../../tables/display/live/arrange-rows.js";
import { clamp } from "../page/clamp.js";

/** A question without the range of rows. */
export type AskedRows = Omit<RowQuestion, "rows">;

type ByColumn<Value> = Readonly<Record<number, Value>>;

export interface TableState {
  /** Names of all columns: a state is only restored for the same columns. */
  readonly columns: readonly string[];
  /** Ascending (1) or descending (-1); ties are resolved by the next column. */
  readonly sorts: RowQuestion["order"];
  /** Words typed above columns. */
  readonly typed: ByColumn<{ readonly words: string }>;
  /** A clicked bar, value or share of nulls. */
  readonly clicked: ByColumn<CellFilter>;
  /** Words to find in all visible columns. */
  readonly find: string;
  /** Visible columns, in order. */
  readonly shown: readonly number[];
  /** Changed widths in pixels. */
  readonly widths: ByColumn<number>;
  /** Index of the first visible row. */
  readonly top: number;
}

export function firstState(columns: readonly { readonly name: string }[]): TableState {
  const names = columns.map(({ name }) => name);
  return {
    columns: names,
    sorts: [],
    typed: {},
    clicked: {},
    find: "",
    shown: [...names.keys()],
    widths: {},
    top: 0,
  };
}

export const NO_FILTERS = { typed: {}, clicked: {}, find: "" };

export function isFiltered({ typed, clicked, find }: TableState): boolean {
  return find.trim() !== "" || [typed, clicked].some((filters) => Object.keys(filters).length > 0);
}

/** A record with another value for a column, or without the column. */
export function withValue<Value>(values: ByColumn<Value>, column: number, value?: Value): ByColumn<Value> {
  const { [column]: _, ...others } = values;
  return value === undefined ? others : { ...others, [column]: value };
}

/** Sorts ascending, then descending, then not. With `isMore`, adds to the existing sort keys. */
export function sortedBy({ sorts }: TableState, column: number, isMore: boolean): TableState["sorts"] {
  const now = sorts.find(([index]) => index === column);
  const others = isMore ? sorts.filter((sort) => sort !== now) : [];
  return now && now[1] < 0 ? others : [...others, [column, now ? -1 : 1]];
}

/** The visible columns with one of them at a position. */
export function movedTo({ shown }: TableState, column: number, index: number): readonly number[] {
  const others = shown.filter((each) => each !== column);
  others.splice(clamp(0, others.length, index), 0, column);
  return others;
}

/** @param more further filters */
export function questionOf({ sorts, typed, clicked, find, shown }: TableState, more: AskedRows["filter"]): AskedRows {
  return {
    order: sorts,
    filter: [
      ...[clicked, typed].flatMap((filters: ByColumn<CellFilter>) =>
        Object.entries(filters).map(([column, filter]) => ({ column: Number(column), ...filter })),
      ),
      ...more,
    ],
    find: { words: find.split(/\s+/).filter(Boolean), columns: shown },
  };
}

/**
 * The saved state, if it belongs to a table with the same columns.
 *
 * @param saved comes from a notebook or page of any author
 */
export function restoredState(saved: unknown, { columns }: TableState): TableState | undefined {
  const state: Partial<TableState> = Object(saved);
  return JSON.stringify(state.columns) === JSON.stringify(columns) ? (state as TableState) : undefined;
}
