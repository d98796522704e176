import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Column, type CountedColumn, computedColumn, DateColumn } from "../../../../src/tables/column/column.js";
import { toTable } from "../../../../src/tables/column/table.js";
import { arqueroView } from "../../../../src/tables/display/html/table-view.js";
import type { ColumnSummary } from "../../../../src/tables/display/live/embedded-column.js";
import { tablePayload } from "../../../../src/tables/display/table-bundle.js";
import { featureColumnsOfRecords } from "../../../../src/tables/read/feature-columns.js";
import { randomRuns } from "../../../support/random-runs.js";
import { feature } from "../../../support/records.js";

/** Maximum number of distinct strings that a summary counts. */
const COUNTED = 50_000;
/** Rows that are read of a column with objects that does not count its values. */
const LOOKED_AT = 10_000;
/** Rows whose values are embedded in the output. */
const ROWS = 10;

function summaryOf(column: Column, type?: string): ColumnSummary {
  const view = arqueroView(toTable([["notes", column]]));
  const columns = view.columns.map((each) => (type === undefined ? each : { ...each, type }));
  const [head] = tablePayload(view, { rows: ROWS, columns }).heads;
  if (!head) throw new Error("no column");
  return head.summary;
}

const isObject = (value: unknown) => typeof value === "object" && value !== null && !(value instanceof Date);
const isMissing = (value: unknown) => value === null || value === undefined || (!isObject(value) && isNaNSize(value));
const isNaNSize = (value: unknown) =>
  (typeof value === "number" || value instanceof Date) && Number.isNaN(Number(value));

/** The summary of values without a declared type, by its definition; bars are tested in `table-bundle.test.ts`. */
function naiveSummary(all: readonly unknown[], most = all.length) {
  const object = all.findIndex(isObject);
  const values = object < 0 ? all : all.slice(0, Math.max(object + 1, most));
  const present = values.filter((value) => !isMissing(value));
  const [rows, nulls] = [values.length, values.length - present.length];
  const texts = present.filter((value) => typeof value === "string" || typeof value === "boolean").map(String);
  const numbers = present.filter((value) => typeof value === "number");
  const dates = present.filter((value) => value instanceof Date);
  const kinds = [texts, numbers, dates, present.filter(isObject)].filter(({ length }) => length > 0);
  if (kinds.length > 1 || present.some(isObject)) return { kind: "text", rows, nulls };
  if (numbers.length + dates.length > 0) {
    const sizes = [...numbers, ...dates].map(Number).filter(Number.isFinite);
    const range = sizes.length > 0 ? { range: [Math.min(...sizes), Math.max(...sizes)] } : {};
    return { kind: numbers.length > 0 ? "number" : "date", rows, nulls, ...range };
  }
  const different = [...new Set(texts)];
  const distinct = different.length;
  if (distinct > COUNTED) return { kind: "text", rows, nulls, distinct: COUNTED, isMore: true };
  if (distinct <= 1 || distinct === texts.length || distinct > Math.max(20, rows / 20)) {
    return { kind: "text", rows, nulls, distinct };
  }
  const counts = different.map((text) => [text, texts.filter((each) => each === text).length] as const);
  const top = counts.sort(([a, ofA], [b, ofB]) => ofB - ofA || (a < b ? -1 : 1)).slice(0, 5);
  return { kind: "text", rows, nulls, distinct, top };
}

const mixture = fc.oneof(
  fc.array(fc.option(fc.constantFrom("a", "b", "", "12", "2024-01-01", "x".repeat(20)))),
  fc.array(fc.option(fc.oneof(fc.integer(), fc.double()))),
  fc.array(fc.option(fc.date({ noInvalidDate: false }))),
  fc.array(fc.oneof(fc.string(), fc.boolean(), fc.constant(undefined))),
  fc.array(fc.oneof(fc.string(), fc.integer(), fc.constant({ a: 1 }), fc.constant(null))),
);

/** A hash that differs for different strings of a crowd. */
const numberOf = (text: string) => Number.parseInt(text, 10) | 0;

/** A column that counts its values, and the number of decoded strings. */
function countingColumn(values: readonly unknown[], hash: (text: string) => number = numberOf) {
  const decoded = { count: 0 };
  const counted: CountedColumn = {
    countInto(counter) {
      const texts = values.filter((value) => typeof value === "string");
      for (const value of values) {
        if (isObject(value)) counter.addObjects(1);
        else if (typeof value !== "string") counter.add(value, 1);
      }
      const at = (index: number) => {
        decoded.count += 1;
        return texts[index] as string;
      };
      const hashAt = (index: number) => hash(texts[index] as string);
      counter.addTexts({ length: texts.length, hashed: "bytes", at, hashAt });
      counter.addTexts({ length: 0, hashed: "uuid", at, hashAt });
    },
  };
  return {
    decoded,
    column: Object.assign(
      computedColumn(values.length, (row) => values[row]),
      counted,
    ),
  };
}

describe("the summary of a column", () => {
  test("equals a naive computation, whether or not the column counts its values", () => {
    fc.assert(
      fc.property(mixture, (values) => {
        const expected = naiveSummary(values);
        for (const column of [values as Column, countingColumn(values).column]) {
          const { bars: _, ...summary } = summaryOf(column);
          expect(summary).toEqual(expected);
        }
      }),
      { numRuns: randomRuns(300) },
    );
  });

  test("is the same for columns of cells and for their values", () => {
    const values = fc.array(fc.option(fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant([1]))));
    fc.assert(
      fc.property(values, (notes) => {
        const records = notes.map((note, row) => feature(row + 1, { properties: { notes: note } }));
        const column = featureColumnsOfRecords(records).properties.get("notes") ?? notes;
        expect(summaryOf(column)).toEqual(summaryOf(notes));
      }),
      { numRuns: randomRuns(100) },
    );
  });

  test("is the same for columns of instants and for their dates", () => {
    const years = ["0001", "1969", "2024", "9999"];
    const instants = fc.tuple(fc.constantFrom(...years), fc.nat(999_999)).map(([year, us]) => {
      return `${year}-03-01T12:00:00.${String(us).padStart(6, "0")}Z`;
    });
    const texts = fc.array(fc.option(fc.oneof(instants, fc.constantFrom("no instant", 5))));
    fc.assert(
      fc.property(texts, (values) => {
        const column = new DateColumn(values as Column);
        expect(summaryOf(column)).toEqual(summaryOf([...column]));
      }),
      { numRuns: randomRuns(200) },
    );
  });

  test("has no bars for integers that count up or down from row to row", () => {
    const numbers = Array.from({ length: 1000 }, (_, row) => row);
    const cells = (values: readonly unknown[]) => {
      const records = values.map((note, row) => feature(row + 1, { properties: { notes: note } }));
      return featureColumnsOfRecords(records).properties.get("notes") ?? [];
    };
    for (const values of [numbers, numbers.toReversed(), [null, ...numbers, null]]) {
      const rows = values.length;
      const expected = { kind: "number", rows, nulls: rows - 1000, range: [0, 999] };
      expect(summaryOf(values)).toEqual(expected);
      expect(summaryOf(cells(values))).toEqual(expected);
    }
    for (const values of [numbers.map((row) => (row * 7) % 1000), [...numbers.slice(1), 999], numbers.slice(0, 20)]) {
      expect(summaryOf(values)).toHaveProperty("bars");
      expect(summaryOf(cells(values))).toHaveProperty("bars");
    }
  });

  /** More distinct strings than are counted, and rows after them. */
  const crowd = (...rest: readonly unknown[]) => [
    ...Array.from({ length: COUNTED + 20_000 }, (_, row) => `${row} m²`),
    ...rest,
  ];

  test.each([
    ["nulls", crowd(null, null, "1 m²")],
    ["a number", crowd(null, 5, "1 m²")],
    ["an object", crowd({ a: 1 }, null)],
    ["an object, after an object in the first row", [{ a: 1 }, ...crowd(null)]],
    ["a boolean", crowd(true, "more")],
  ])("is exact for more strings than are counted, followed by %s", (_, values) => {
    const { column } = countingColumn(values);
    expect(summaryOf(column)).toEqual(naiveSummary(values));
    expect(summaryOf(values)).toEqual(naiveSummary(values, LOOKED_AT));
  });

  test("decodes no string if the hashes show that there are too many to count", () => {
    const { decoded, column } = countingColumn(crowd(null, "1 m²"));
    expect(summaryOf(column)).toMatchObject({ distinct: COUNTED, isMore: true, nulls: 1 });
    expect(decoded.count).toBe(0);
  });

  test("decodes only one string more than it counts if the hashes are equal", () => {
    const { decoded, column } = countingColumn(crowd(null, "1 m²"), () => 7);
    expect(summaryOf(column)).toMatchObject({ distinct: COUNTED, isMore: true, nulls: 1 });
    // The last string shows that there are more.
    expect(decoded.count).toBe(COUNTED + 1);
  });

  test("counts up to the maximum number of strings", () => {
    const values = Array.from({ length: COUNTED }, (_, row) => `${row} m²`);
    expect(summaryOf(countingColumn([...values, "1 m²"]).column)).toMatchObject({ distinct: COUNTED });
    expect(summaryOf(countingColumn([...values, "1 m²"]).column)).not.toHaveProperty("isMore");
    expect(summaryOf(countingColumn([...values, "more"]).column)).toMatchObject({ isMore: true });
  });

  test("reads each row if strings are compared as dates", () => {
    const { column } = countingColumn([...crowd(), "2024-01-01T00:00:00Z"]);
    expect(summaryOf(column, "DATE")).toMatchObject({
      kind: "date",
      range: [Date.UTC(2024, 0, 1), Date.UTC(2024, 0, 1)],
    });
  });
});
