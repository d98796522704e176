import type { Dialect } from "../dialect/dialect.js";
import { tableMembers } from "../dialect/table-members.js";
import type { Scope } from "../scope/scope.js";
import { storedNames } from "../scope/stored-names.js";
import type { ValueKind } from "../values/shown-value.js";
import { type Grouping, shownGroup } from "./grouping.js";
import type { StepsQuery } from "./step-members.js";

/** A date as it was asked for. */
export interface StoredDate {
  /** As text: of a `Date` its ISO 8601 form. */
  readonly text: string;
  /** Its place among the distinct dates, ascending. */
  readonly place: number;
}

/** What is added up at dates, as it is stored. */
export interface StoredSteps extends StepsQuery {
  readonly dates: readonly StoredDate[];
}

/** The columns of a stored result about dates. */
export interface DatedColumns {
  /** What the result's own columns are called, quoted. */
  readonly own: readonly string[];
  /** The first of them, the date, and the group where there is one, over `date_text` and `g`. */
  readonly leading: string;
}

/** `dates`: `asked`, the number of a date in the order asked for, `date_place`, `date_text`. */
export function dateMembers(dialect: Dialect, dates: readonly StoredDate[]): string[] {
  const rows = dates.map(({ text, place }, asked) => [String(asked), String(place), dialect.text(text)]);
  return tableMembers(dialect, "dates", ["asked", "date_place", "date_text"], rows);
}

/** @param own names of the result's own columns, of which the first is the date */
export function datedColumns(
  scope: Scope,
  kinds: readonly (ValueKind | undefined)[],
  by: Grouping,
  own: readonly string[],
): DatedColumns {
  const { dialect, columns } = scope;
  const group =
    by.kind === "column" ? columns[by.column] : by.kind === "field" ? { name: by.field, keys: [] } : undefined;
  const names = storedNames(dialect, own, group ? [group] : [], group ? [0] : []);
  const groups = names.properties.map((name) => `${shownGroup(dialect, kinds, by)} AS ${name}`);
  return { own: names.own, leading: [`date_text AS ${names.own[0]}`, ...groups].join(", ") };
}
