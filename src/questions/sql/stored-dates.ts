import type { Dialect } from "./dialect.js";
import { shownGroup } from "./grouping.js";
import type { ValueKind } from "./shown-value.js";
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
  /** Name of the group's column. */
  readonly groupName: string;
}

/** `dates`: `asked`, the number of a date in the order asked for, `date_place`, `date_text`. */
export function datesMember(dialect: Dialect, dates: readonly StoredDate[]): string {
  const columns = ["asked", "date_place", "date_text"];
  const rows = dates.map(({ text, place }, asked) => [String(asked), String(place), dialect.text(text)]);
  if (rows.length > 0) return dialect.relation("dates", columns, rows);
  // A table of literals has a row: that of an empty one is left out again.
  const row = ["0", "0", dialect.text("")];
  return `${dialect.relation("no_dates", columns, [row])},\ndates AS (SELECT * FROM no_dates WHERE 1 = 0)`;
}

/** The columns of a stored result before its own: the date, and the group where there is one. */
export function dateColumns(dialect: Dialect, kinds: readonly ValueKind[], { by, groupName }: StoredSteps): string {
  const group = by.kind === "none" ? "" : `, ${shownGroup(dialect, kinds, by)} AS ${dialect.identifier(groupName)}`;
  return `date_text AS ${dialect.identifier("date")}${group}`;
}
