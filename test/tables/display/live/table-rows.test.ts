import { from, table } from "arquero";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { columnsOf } from "../../../../src/browser/table/table-columns.js";
import { arqueroView, type TableView } from "../../../../src/tables/display/html/table-view.js";
import { type RowQuestion, wordsTest } from "../../../../src/tables/display/live/arrange-rows.js";
import { rowQuestion, TableRows, tablePayload } from "../../../../src/tables/display/table-bundle.js";
import { randomRuns } from "../../../support/random-runs.js";
import { drawQuestions } from "./draw-questions.js";

const none = { order: [], filter: [], find: { words: [], columns: [] } } as const;

function viewOf(columns: Readonly<Record<string, readonly unknown[]>>): TableView {
  const view = arqueroView(table(columns));
  if (!view) throw new Error("no table");
  return view;
}

function rowsOf(view: TableView): TableRows {
  const { heads } = tablePayload(view, { rows: view.rowCount, columns: view.columns });
  return new TableRows(view.rowCount, view.columns, heads);
}

/** Numbers of the rows that the script of the table shows, in order. */
function byScript(view: TableView, { order, filter, find }: RowQuestion): readonly number[] {
  const { heads, cells } = tablePayload(view, { rows: view.rowCount, columns: view.columns });
  const columns = columnsOf(heads, cells);
  const column = (place: number) => {
    const found = columns[place];
    if (!found) throw new Error("no column");
    return found;
  };
  const tests = filter.map((each) => {
    const { isNull, sizeOf, full } = column(each.column);
    if ("words" in each) return wordsTest(column(each.column), each.words);
    if ("isNull" in each) return isNull;
    if ("value" in each) return (row: number) => !isNull(row) && full(row) === each.value;
    if ("values" in each) return (row: number) => each.values.includes(full(row));
    return (row: number) => Math.floor(sizeOf(row) / each.bar[1]) === each.bar[0];
  });
  for (const word of find.words) {
    const finders = find.columns.map((place) => wordsTest(column(place), word));
    tests.push((row) => finders.some((has) => has(row)));
  }
  const rows = Array.from({ length: view.rowCount }, (_, row) => row).filter((row) => tests.every((each) => each(row)));
  return rows.sort((a, b) => {
    for (const [place, way] of order) {
      const [p, q] = [a, b].map((row) => column(place).ranks()[row] as number) as [number, number];
      if (Number.isNaN(p) !== Number.isNaN(q)) return Number.isNaN(p) ? 1 : -1;
      if (p !== q && !Number.isNaN(p)) return p < q ? -way : way;
    }
    return a - b;
  });
}

const texts = fc.constantFrom("a", "B2", "b10", "", "ä", "12", "-0", "null", "x\ny");
const numbers = fc.constantFrom(0, 1, -1, 2.5, 1 / 3, 1e20, 12, 1200.0625, Number.NaN, Number.POSITIVE_INFINITY);
const dates = fc.constantFrom(0, 86_400_000, 86_459_000, -3, 60_000, Number.NaN).map((ms) => new Date(ms));
const bigs = fc.constantFrom(1n, 12n, -3n, 2n ** 70n, 2n ** 70n + 1n);
const holes = fc.constantFrom(null, undefined);
const columnValues = fc
  .constantFrom(
    texts,
    numbers,
    dates,
    bigs,
    fc.oneof(bigs, numbers),
    fc.oneof<fc.Arbitrary<unknown>[]>(texts, numbers, dates),
  )
  .map((values) =>
    fc.oneof({ weight: 4, arbitrary: values as fc.Arbitrary<unknown> }, { weight: 1, arbitrary: holes }),
  );
const comparisons = ["> 1", "<=2.5", "= 12", ">1970-01-01", "<= 1970-01-02", "=x"];
const words = fc.constantFrom(...comparisons, "1", "b", "00:0", "nul", " ", "e+");
const questions: fc.Arbitrary<RowQuestion> = drawQuestions({
  words,
  values: texts,
  steps: fc.constantFrom(0.5, 1, 86_400_000),
  order: { most: 3, isOnce: false },
  searched: fc.uniqueArray(fc.nat(2), { maxLength: 3 }),
}).map((drawn) => ({ rows: [0, 100], ...drawn }));

describe("requested rows of a table", () => {
  test("are sorted and filtered like embedded rows", () => {
    const columns = fc
      .tuple(columnValues, columnValues, columnValues)
      .chain((kinds) => fc.array(fc.tuple(...kinds), { minLength: 1, maxLength: 30 }));
    const isSame = (rows: readonly (readonly unknown[])[], question: RowQuestion) => {
      const view = viewOf({
        a: rows.map((row) => row[0]),
        b: rows.map((row) => row[1]),
        c: rows.map((row) => row[2]),
      });
      const numbered = { ...view, columns: [...view.columns, { name: "row", at: (row: number) => row }] };
      const answer = rowsOf(numbered).answer(rowQuestion(JSON.parse(JSON.stringify(question)), 4));
      const last = answer.cells[3];
      if (!last || !("numbers" in last)) {
        expect(byScript(view, question)).toEqual([]);
        return;
      }
      let before = 0;
      const given = last.numbers.map((number) => {
        before = last.isDelta ? before + (number ?? 0) : (number ?? 0) + (last.from ?? 0);
        return before;
      });
      expect(given).toEqual(byScript(view, question));
      expect(answer.of).toBe(given.length);
    };
    fc.assert(fc.property(columns, questions, isSame), { numRuns: randomRuns(2000) });
  });

  test("are not compared with invalid dates", () => {
    const view = viewOf({ day: [new Date("2024-02-29T12:00Z"), new Date("2024-03-01T12:00Z")] });
    const matching = (words: string) => {
      const question = { ...none, rows: [0, 9] as const, filter: [{ column: 0, words }] };
      expect(rowsOf(view).answer(question).of).toBe(byScript(view, question).length);
      return byScript(view, question);
    };
    expect(matching(">= 2024-02-29")).toEqual([0, 1]);
    expect(matching("= 2024-03-01")).toEqual([1]);
    for (const words of ["= 2024-02-30", ">= 2024-02-30", "> 2024-02-30T00:00Z"]) expect(matching(words)).toEqual([]);
  });

  test("are in the requested range", () => {
    const view = viewOf({ n: Array.from({ length: 50 }, (_, row) => row) });
    const rows = rowsOf(view);
    const ask = (from: number, to: number, more: object = {}) =>
      rows.answer(rowQuestion({ rows: [from, to], ...none, ...more }, 1));
    expect(ask(48, 60)).toMatchObject({ rows: [48, 50], of: 50, cells: [{ numbers: [48, 49] }] });
    expect(ask(70, 90)).toMatchObject({ rows: [50, 50], of: 50, cells: [{ codes: [] }] });
    const even = { filter: [{ column: 0, bar: [4, 10] }], order: [[0, -1]] };
    expect(ask(0, 2, even)).toMatchObject({ rows: [0, 2], of: 10, cells: [{ numbers: [49, 48] }] });
  });

  test("show objects as JSON", () => {
    const view = arqueroView(from([{ a: [1, 2] }, { a: { b: 1 } }, { a: [3] }]));
    if (!view) throw new Error("no table");
    const answer = rowsOf(view).answer(
      rowQuestion({ rows: [0, 9], ...none, filter: [{ column: 0, words: "[" }], order: [[0, -1]] }, 1),
    );
    expect(answer.cells).toEqual([{ kind: "text", texts: ["[3]", "[1,2]"], codes: [0, 1] }]);
  });
});
