import { chooseColumn } from "../../history/columns/choose-columns.js";
import { propertyNames } from "../../history/columns/property-names.js";
import { ValueDictionary } from "../../history/log/value-dictionary.js";
import type { GroupOptions } from "../../history/tables/counts.js";
import { type DateGrid, type Grid, resolveGrid } from "../../history/time/date-grid.js";
import { type Grouping, isBaseField } from "../sql/grouping.js";
import { UNKNOWN_MARK } from "../sql/marks.js";
import type { StoredSteps } from "../sql/stored-dates.js";
import { type AskedDates, askedDates } from "./asked-dates.js";
import { plainValue } from "./plain-value.js";
import type { QuestionData } from "./question-data.js";

/** What is asked of many dates. */
export interface DatedQuestion {
  readonly grid: DateGrid;
  readonly asked: AskedDates;
  readonly query: StoredSteps;
}

/**
 * What a question about a column at many dates asks.
 *
 * @param own names of the result's own columns
 * @throws ArgumentError for columns that there are not
 */
export function datedQuestion(
  data: QuestionData,
  name: string,
  dates: Grid,
  { by }: GroupOptions,
  own: readonly string[],
): DatedQuestion {
  const column = chooseColumn(data.names, name);
  const grid = resolveGrid(dates, data.timeZone);
  const asked = askedDates(grid);
  const [groupName = ""] = propertyNames(by === undefined ? [] : [by], own);
  return { grid, asked, query: { column, by: groupingBy(data, by), groupName, ...asked } };
}

function groupingBy({ names }: QuestionData, by: string | undefined): Grouping {
  if (by === undefined) return { kind: "none" };
  return isBaseField(by) ? { kind: "field", field: by } : { kind: "column", column: chooseColumn(names, by) };
}

/** The groups that the rows of an answer are about, by code. */
export class AnswerGroups {
  readonly #data: QuestionData;
  readonly #by: Grouping;
  readonly #dictionary = new ValueDictionary();

  constructor(data: QuestionData, by: Grouping) {
    this.#data = data;
    this.#by = by;
    // The one group of all is there without a feature.
    if (by.kind === "none") this.#dictionary.code(null);
  }

  get values(): readonly unknown[] {
    return this.#dictionary.values;
  }

  /**
   * Code of a group.
   *
   * @param text what a property holds, as JSON text with or as a mark
   * @param example id of a feature of the group
   */
  code(text: unknown, example: unknown): number {
    if (this.#by.kind === "none") return this.#dictionary.code(null);
    if (this.#by.kind === "column") return this.#dictionary.code(text === UNKNOWN_MARK ? null : plainValue(text));
    const row = this.#data.rowOf.get(Number(example));
    return this.#dictionary.code(row === undefined ? null : this.#data.features.base(this.#by.field).at(row));
  }
}
