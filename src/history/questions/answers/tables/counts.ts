import type { ColumnTable } from "arquero";
import { datesBeyondReading } from "../../../cell/beyond-reading.js";
import type { CellState } from "../../../cell/cell-state.js";
import { DateTally } from "../../../grid/date-sums.js";
import { countsTable, type GroupOptions, type Kind } from "../../../tables/counts.js";
import type { Grid } from "../../../time/date-grid.js";
import { plainValue } from "../../answer-rows.js";
import { askInParts, type Question, type QuestionData } from "../../ask.js";
import { AnswerGroups, type DatedQuestion, datedQuestion } from "../../dated-question.js";
import { UNCHANGED_MARK, UNKNOWN_MARK } from "../../sql/cell-values.js";
import { countRows, countsTable as countsStatement } from "../../sql/tables/counts.js";

/** How many features hold each value at each date. */
export function counts(data: QuestionData, name: string, grid: Grid, options: GroupOptions): Question<ColumnTable> {
  const dated = datedQuestion(data, name, grid, options);
  return {
    table: (signal) => table(data, dated, options.by, signal),
    statement: async (scope, kinds) => countsStatement(scope, await kinds(dated.columns), dated.query),
    findings: () => datesBeyondReading(data, dated.grid),
  };
}

async function table(
  data: QuestionData,
  { grid, asked, query }: DatedQuestion,
  by: string | undefined,
  signal: AbortSignal | undefined,
): Promise<ColumnTable> {
  const tally = new DateTally(grid.sortedUs.length);
  const groups = new AnswerGroups(data, query.by);
  const kinds = new Map<string, Kind>();
  if (!asked.isEmpty) {
    for await (const { rowCount, columns } of askInParts(data, CELLS, (scope) => countRows(scope, query), signal)) {
      const [values, groupTexts, places, numbers, examples] = columns;
      for (let index = 0; index < rowCount; index += 1) {
        const group = groups.code(groupTexts?.[index], examples?.[index]);
        const said = String(values?.[index]);
        const key = `${group} ${said}`;
        const kind = kinds.get(key) ?? { code: kinds.size, group: groups.values[group], ...contentOf(said) };
        kinds.set(key, kind);
        tally.add(kind.code, asked.sortedPlace(Number(places?.[index])), Number(numbers?.[index]));
      }
    }
  }
  return countsTable(grid, by, { kinds: [...kinds.values()], countAt: tally.sum() });
}

/** Changes of a feature in one or two columns, about. */
const CELLS = 4;

function contentOf(said: string): { readonly state: CellState; readonly value: unknown } {
  if (said === UNKNOWN_MARK) return { state: "unknown", value: null };
  const value = plainValue(said);
  if (said.startsWith(UNCHANGED_MARK)) return { state: "unchanged", value };
  return { state: value === null ? "cleared" : "logged", value };
}
