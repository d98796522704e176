import { table } from "arquero";
import fc from "fast-check";
import { afterEach, describe, expect, test, vi } from "vitest";
import { arqueroView, type TableView } from "../../../src/tables/display/html/table-view.js";
import type { ColumnSummary, EmbeddedColumn } from "../../../src/tables/display/live/embedded-column.js";
import { tableBundle, tablePayload } from "../../../src/tables/display/table-bundle.js";

function viewOf(columns: Readonly<Record<string, readonly unknown[]>>): TableView {
  return arqueroView(table(columns));
}

function cellsOf(values: readonly unknown[]): EmbeddedColumn {
  const view = viewOf({ a: values });
  const [cells] = tablePayload(view, { rows: values.length, columns: view.columns }).cells;
  if (!cells) throw new Error("no column");
  return cells;
}

function summaryOf(values: readonly unknown[], rows = 3): ColumnSummary {
  const view = viewOf({ a: values });
  const [head] = tablePayload(view, { rows, columns: view.columns }).heads;
  if (!head) throw new Error("no column");
  return head.summary;
}

/** The values of an embedded column, as the script of the table unpacks them. */
function unpacked(column: EmbeddedColumn): readonly unknown[] {
  const odd = new Map(column.odd);
  if ("texts" in column) {
    return column.codes.map((code, row) => (code < 0 ? (odd.get(row) ?? null) : column.texts[code]));
  }
  const { numbers, unit = 1, from: least = 0, isDelta } = column;
  let before = 0;
  return numbers.map((number, row) => {
    if (number === null) return odd.get(row) ?? null;
    before = isDelta ? before + number : least + number;
    return before * unit;
  });
}

describe("embedded columns", () => {
  test("store ordered numbers as differences, and similar numbers as offsets from the least", () => {
    const counted = Array.from({ length: 20 }, (_, row) => 1001 + row);
    const steps = [1001, ...Array(19).fill(1)];
    expect(cellsOf(counted)).toEqual({ kind: "number", numbers: steps, isDelta: true });
    const near = [100_007, 100_001, 100_009, 100_002, 100_009];
    expect(cellsOf(near)).toEqual({ kind: "number", numbers: [6, 0, 8, 1, 8], from: 100_001 });
  });

  test("store dates in whole days or minutes if possible", () => {
    const dates = (...times: string[]) => cellsOf(times.map((time) => new Date(time)));
    expect(dates("2024-01-01", "2024-03-01")).toMatchObject({ kind: "date", unit: 86_400_000 });
    expect(dates("2024-01-01T10:20:00Z")).toMatchObject({ unit: 60_000 });
    expect(dates("2024-01-01T10:20:00.001Z")).not.toHaveProperty("unit");
  });

  test("have a note if a column of strings has objects, functions or other values", () => {
    const held = (...values: readonly unknown[]) => {
      const view = viewOf({ a: values });
      return tablePayload(view, { rows: values.length, columns: view.columns }).heads[0]?.holds;
    };
    expect(held("a", {})).toBe("objects");
    expect(held("a", () => 1)).toBe("objects");
    expect(held("a", 1)).toBe("mixed");
    expect(held("a", null)).toBeUndefined();
  });

  test("store each string once", () => {
    expect(cellsOf(["a", "b", null, "a"])).toEqual({ kind: "text", texts: ["a", "b"], codes: [0, 1, -1, 0] });
  });

  test("list invalid values with their rows", () => {
    expect(cellsOf([1, Number.NaN, undefined, null]).odd).toEqual([
      [1, "NaN"],
      [2, "undefined"],
    ]);
    expect(cellsOf([new Date(Number.NaN), new Date(0)]).odd).toEqual([[0, "Invalid Date"]]);
  });

  test("keep all digits of large bigints", () => {
    expect(cellsOf([2n ** 60n, 1n])).toMatchObject({ kind: "number", texts: ["1152921504606846976", "1"] });
    expect(cellsOf([7n, 8n])).toMatchObject({ kind: "number", numbers: [7, 8] });
  });

  test("cut long strings, and count them", () => {
    const view = viewOf({ a: ["x".repeat(3000), "y"] });
    const { cut, cells } = tablePayload(view, { rows: 2, columns: view.columns });
    expect(cut).toBe(1);
    expect(String(unpacked(cells[0] ?? cellsOf([]))[0])).toHaveLength(2000);
    const many = viewOf({ a: Array.from({ length: 5000 }, (_, row) => `${row} ${"x".repeat(1500)}`) });
    expect(JSON.stringify(tablePayload(many, { rows: 5000, columns: many.columns })).length).toBeLessThan(5_000_000);
  });

  test("keep every number and date", () => {
    const date = fc.date({ noInvalidDate: true });
    const numbers = fc.array(
      fc.option(fc.oneof(fc.integer(), fc.maxSafeInteger(), fc.double({ noNaN: true })), { freq: 4 }),
    );
    fc.assert(
      fc.property(fc.oneof(numbers, fc.array(fc.option(date))), (values) => {
        const plain = values.map((value) => {
          if (value === null) return null;
          return Number.isFinite(Number(value)) ? Number(value) + 0 : String(value);
        });
        expect(unpacked(cellsOf(values))).toEqual(plain);
      }),
    );
  });
});

describe("summaries", () => {
  test("cover all rows, including rows that are not embedded", () => {
    const values = Array.from({ length: 5000 }, (_, row) => (row % 4 === 0 ? null : row));
    const { rows, nulls, range, bars } = summaryOf(values);
    expect({ rows, nulls, range }).toEqual({ rows: 5000, nulls: 1250, range: [1, 4999] });
    expect(bars).toEqual({ first: 0, step: 500, counts: Array(10).fill(375) });
  });

  test("count in each bar the values that its filter selects", () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true })), { minLength: 1 }),
        (values) => {
          const { bars } = summaryOf(values);
          fc.pre(bars !== undefined);
          const { first, step, counts } = bars ?? { first: 0, step: 1, counts: [] };
          expect(counts.length).toBeLessThan(60);
          const counted = counts.map((_, bar) => {
            return values.filter((value) => Math.floor(value / step) === first + bar).length;
          });
          expect(counted).toEqual([...counts]);
        },
      ),
    );
  });

  test("sample evenly spaced rows of very large tables, and report their number", () => {
    let read = 0;
    const at = (row: number) => {
      read += 1;
      return row;
    };
    const columns = Array.from({ length: 8 }, (_, index) => ({ name: `c${index}`, at }));
    const facts = tablePayload({ rowCount: 10_000_000, columns }, { rows: 10, columns });
    expect(facts.summarised).toBe(500_000);
    expect(facts.heads[0]?.summary).toMatchObject({ rows: 500_000, range: [0, 9_999_980] });
    expect(read).toBe(8 * 500_010);
  });

  test("treat numbers next to an invalid date as numbers", () => {
    expect(summaryOf([new Date(Number.NaN), 1e20, null])).toMatchObject({ kind: "number", nulls: 2 });
  });
});

describe("a table for readers of a report", () => {
  afterEach(() => vi.unstubAllEnvs());

  test("has no code", () => {
    const many = () => JSON.stringify(tableBundle(viewOf({ a: Array.from({ length: 50 }, (_, row) => row) })));
    expect(many()).toContain(">Code<");
    vi.stubEnv("SITEFRAME_ORIGIN", "off");
    expect(many()).not.toContain(">Code<");
  });
});
