import type { Dialect } from "../dialect/dialect.js";
import { tableMembers } from "../dialect/table-members.js";
import type { ValueKind } from "../values/shown-value.js";
import { shownGroup } from "./grouping.js";
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
export function dateMembers(dialect: Dialect, dates: readonly StoredDate[]): string[] {
  const rows = dates.map(({ text, place }, asked) => [String(asked), String(place), dialect.text(text)]);
  return tableMembers(dialect, "dates", ["asked", "date_place", "date_text"], rows);
}

/** The columns of a stored result before its own: the date, and the group where there is one. */
export function dateColumns(dialect: Dialect, kinds: readonly ValueKind[], { by, groupName }: StoredSteps): string {
  const group = by.kind === "none" ? "" : `, ${shownGroup(dialect, kinds, by)} AS ${dialect.identifier(groupName)}`;
  return `date_text AS ${dialect.identifier("date")}${group}`;
}
