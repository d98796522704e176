import type { ColumnTable } from "arquero";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { aq } from "../../../src/arquero.js";
import { arqueroCode } from "../../../src/browser/table/arquero-code.js";
import { columnsOf } from "../../../src/browser/table/table-columns.js";
import { arqueroView } from "../../../src/tables/display/html/table-view.js";
import { arrangeRows, type RowQuestion } from "../../../src/tables/display/live/arrange-rows.js";
import { TableRows, tablePayload } from "../../../src/tables/display/table-bundle.js";
import { randomRuns } from "../../support/random-runs.js";
import { drawQuestions } from "../../tables/display/live/draw-questions.js";

const day = (text: string) => new Date(`${text}Z`);
const texts = fc.constantFrom("OPEN", "open", "b10", "b9", "", "null", 'a "b"');
const numbers = fc.constantFrom(0, 1, -1, 2.5, 1 / 3, 12, 73.766666, 1200.0625);
const wholes = fc.constantFrom(0, 4, 5, 9, 10, -3);
const dates = fc.constantFrom(day("2024-01-01T00:00"), day("2024-01-01T13:05"), day("2024-02-29T00:00"));
const bigs = fc.constantFrom(1n, 12n, -3n, 2n ** 70n, 2n ** 70n + 1n);
const mixed = fc.constantFrom<fc.Arbitrary<unknown>[]>(texts, numbers, wholes, dates, bigs, fc.boolean());
const orNull = (values: fc.Arbitrary<unknown>) =>
  fc.oneof({ weight: 4, arbitrary: values }, { weight: 1, arbitrary: fc.constant(null) });
const comparisons = ["> 1", "<=2.5", "= 12", "> 1180591620717411303424", "= 1180591620717411303425"];
const words = fc.constantFrom(
  ...["1,200.06", "−1", "> 1,000"],
  ...comparisons,
  ">2024-01-01",
  "= 2024-01-01",
  "= 2024-W09",
  "01 13:0",
  "1",
  "OP",
  "nul",
  ".77",
  '"',
);
const questions = drawQuestions({
  words,
  values: texts,
  steps: fc.constantFrom(0.5, 1, 5),
  order: { most: 2, isOnce: true },
  searched: fc.constant([0, 1, 2]),
});

function codeOf(table: ColumnTable, question: Omit<RowQuestion, "rows">, shown = table.columnNames()): string {
  const view = arqueroView(table);
  if (!view) throw new Error("no table");
  const { heads, cells } = tablePayload(view, { rows: view.rowCount, columns: view.columns });
  const columns = columnsOf(heads, cells);
  const chosen = shown.flatMap((name) => columns.filter((column) => column.name === name));
  return arqueroCode(view.code ?? "", columns, chosen, question, true);
}

function run(code: string, table: ColumnTable): ColumnTable {
  const script = code.replaceAll("(d: Record<string, unknown>)", "(d)");
  return new Function("table", "aq", `return ${script}`)(table, aq) as ColumnTable;
}

const none = { order: [], filter: [], find: { words: [], columns: [] } } as const;

describe("code for the rows that a table shows", () => {
  const table = aq.table({
    STATUS: ["OPEN", "CLOSED", null, "OPEN"],
    DUE: [day("2024-03-01"), day("2024-01-01"), day("2024-02-01"), day("2024-02-01")],
    LENGTH: [1, 2, 3, 4],
    PLACE: [{ x: 1 }, { x: 2 }, null, { x: 3 }],
  });

  test("is readable", () => {
    const filter = [
      { column: 0, value: "OPEN" },
      { column: 2, words: ">= 2" },
    ];
    const code = codeOf(table, { ...none, filter, order: [[1, -1]] }, ["DUE", "LENGTH"]);
    expect(code).toBe(
      [
        "table",
        '  .filter((d) => d["STATUS"] === "OPEN")',
        '  .filter((d) => d["LENGTH"] >= 2)',
        '  .orderby(aq.desc("DUE"))',
        '  .select("DUE", "LENGTH");',
      ].join("\n"),
    );
    expect(run(code, table).objects()).toEqual([{ DUE: day("2024-02-01"), LENGTH: 4 }]);
  });

  test("names a filter that it cannot contain", () => {
    const code = codeOf(table, { ...none, filter: [{ column: 3, words: "x: 1" }] });
    expect(code).toBe("// Not included (objects): the filter of PLACE\ntable;");
  });

  test("contains the selected values", () => {
    const code = codeOf(table, { ...none, filter: [{ column: 2, values: ["1", "4"] }] });
    expect(code).toBe('table\n  .filter((d) => ["1","4"].includes(String(d["LENGTH"])));');
    expect(run(code, table).array("LENGTH")).toEqual([1, 4]);
    expect(codeOf(table, { ...none, filter: [{ column: 0, values: ["OPEN"] }] })).toContain(
      '["OPEN"].includes(d["STATUS"])',
    );
  });

  test("compares dates and numbers of properties, and ignores strings among them", () => {
    const property = aq.table({
      DUE: ["2024-03-01", "soon", null, "2024-01-15", "2024-02-01T10:00:00Z", "-"],
      DEPTH: [1.2, "0.8 m", 0.7, null, 3, "7.25"],
    });
    const types = ["DATE", "FLOAT"];
    const plain = arqueroView(property);
    const view = {
      ...plain,
      columns: plain.columns.map((column, place) => ({ ...column, type: String(types[place]) })),
    };
    const { heads, cells } = tablePayload(view, { rows: 6, columns: view.columns });
    expect(heads.map(({ summary: { kind, nulls } }) => [kind, nulls])).toEqual([
      ["date", 1],
      ["number", 1],
    ]);
    const columns = columnsOf(heads, cells);
    const numbered = property.assign(aq.table({ row: [0, 1, 2, 3, 4, 5] }));
    const rowsOf = (question: Partial<RowQuestion>) => {
      const rows = [...arrangeRows(6, columns, { ...none, ...question })];
      const code = arqueroCode("table", columns, columns, { ...none, ...question }, true);
      expect(run(code, numbered).array("row"), code).toEqual(rows);
      return rows;
    };
    const filtered = (column: number, words: string) => rowsOf({ filter: [{ column, words }] });
    expect(filtered(0, "<= 2024-02-01")).toEqual([3, 4]);
    expect(filtered(0, "= 2024-02-01")).toEqual([4]);
    expect(filtered(0, "soon")).toEqual([1]);
    expect(filtered(1, "> 0.75")).toEqual([0, 4, 5]);
    expect(filtered(1, ".3")).toEqual([]);
    expect(filtered(1, "0.8")).toEqual([1]);
    expect(rowsOf({ order: [[0, 1]] })).toEqual([3, 4, 0, 1, 2, 5]);
    expect(rowsOf({ order: [[1, -1]] })).toEqual([5, 4, 0, 2, 1, 3]);
    for (const column of [0, 1]) expect(rowsOf({ filter: [{ column, isNull: true }] })).toHaveLength(1);
    expect(rowsOf({ filter: [{ column: 1, bar: [1, 1] }] })).toEqual([0]);
    expect(rowsOf({ filter: [{ column: 0, bar: [Date.parse("2024-03-01") / 86_400_000, 86_400_000] }] })).toEqual([0]);
    expect(columns.map((column) => column.csv(1))).toEqual(["soon", "0.8 m"]);
    // The kernel returns the same rows.
    const all = new TableRows(6, view.columns, heads);
    const answer = all.answer({ ...none, rows: [0, 9], order: [[1, -1]], filter: [{ column: 0, words: "> 2023" }] });
    expect(answer.of).toBe(3);
    expect(answer.cells[1]).toMatchObject({ numbers: [3, 1.2, null] });
  });

  test("compares numbers of 64 bits in full", () => {
    const bigs = aq.table({ big: Array.from({ length: 60 }, (_, row) => 12_345_678_901_234_567_890n + BigInt(row)) });
    const codes = ["> 12345678901234567893", "= 12345678901234567893"].map((words) =>
      codeOf(bigs, { ...none, filter: [{ column: 0, words }] }),
    );
    expect(codes[0]).toBe('table\n  .filter((d) => d["big"] > 12345678901234567893n);');
    expect(codes.map((code) => run(code, bigs).numRows())).toEqual([56, 1]);
  });

  test("treats a column as strings if one string would be misread", () => {
    const kindOf = (type: string, ...values: readonly unknown[]) => {
      const view = {
        ...arqueroView(aq.table({ a: values })),
        columns: [{ name: "a", type, at: (row: number) => values[row] }],
      };
      const { heads, cells } = tablePayload(view, { rows: values.length, columns: view.columns });
      return [cells[0]?.kind, heads[0]?.summary.kind];
    };
    expect(kindOf("DATE", "2024-01-01", "Block 5")).toEqual(["text", "text"]);
    expect(kindOf("DATETIME", "2024-01-01T10:00:00", "2024-01-02")).toEqual(["text", "text"]);
    expect(kindOf("FLOAT", 1, "")).toEqual(["text", "text"]);
    expect(kindOf("DATE", "2024-01-01", "soon", null)).toEqual(["date", "date"]);
    expect(kindOf("STRING", "2024-01-01", "2024-01-02")).toEqual(["text", "text"]);
  });

  test("yields the rows that are shown, in their order", () => {
    const columns = fc
      .tuple(mixed, mixed, mixed)
      .chain((kinds) => fc.array(fc.tuple(...kinds.map(orNull)), { minLength: 1, maxLength: 30 }));
    const isSame = (rows: readonly (readonly unknown[])[], drawn: Omit<RowQuestion, "rows">) => {
      const value = aq.table({
        a: rows.map((row) => row[0]),
        b: rows.map((row) => row[1]),
        'c "quoted"': rows.map((row) => row[2]),
      });
      const view = arqueroView(value);
      if (!view) throw new Error("no table");
      const { heads, cells } = tablePayload(view, { rows: rows.length, columns: view.columns });
      // Strings have no bars to click.
      const filter = drawn.filter.filter((each) => !("bar" in each) || cells[each.column]?.kind !== "text");
      const question = { ...drawn, filter };
      const wanted = [...arrangeRows(rows.length, columnsOf(heads, cells), question)];
      const numbered = value.assign(aq.table({ row: rows.map((_, row) => row) }));
      expect([...run(codeOf(value, question), numbered).array("row")]).toEqual(wanted);
    };
    fc.assert(fc.property(columns, questions, isSame), { numRuns: randomRuns(500) });
  });
});
