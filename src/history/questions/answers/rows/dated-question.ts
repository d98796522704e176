import { isBaseField } from "../../../../tables/read/feature-columns.js";
import { chooseColumn } from "../../../columns/choose-columns.js";
import type { GroupOptions } from "../../../tables/counts.js";
import { type DateGrid, type Grid, resolveGrid } from "../../../time/date-grid.js";
import type { Grouping, StoredSteps } from "../../sql/cte/step-ctes.js";
import type { QuestionData } from "../ask/question-data.js";
import { type AskedDates, askedDates } from "./asked-dates.js";

/** What is asked of many dates. */
export interface DatedQuestion {
  readonly grid: DateGrid;
  readonly asked: AskedDates;
  readonly query: StoredSteps;
  /** Places of the columns that it is about. */
  readonly columns: readonly number[];
}

/**
 * What a question about a column at many dates asks.
 *
 * @throws ArgumentError for columns that there are not
 */
export function datedQuestion(data: QuestionData, name: string, dates: Grid, { by }: GroupOptions): DatedQuestion {
  const column = chooseColumn(data.names, name);
  const grid = resolveGrid(dates, data.timeZone);
  const asked = askedDates(grid);
  const grouping = groupingBy(data, by);
  const columns = grouping.kind === "column" ? [column, grouping.column] : [column];
  return { grid, asked, query: { column, by: grouping, ...asked }, columns };
}

function groupingBy({ names }: QuestionData, by: string | undefined): Grouping {
  if (by === undefined) return { kind: "none" };
  return isBaseField(by) ? { kind: "field", field: by } : { kind: "column", column: chooseColumn(names, by) };
}
