import type { ColumnView } from "../html/table-view.js";
import { type CellForms, ColumnReader } from "./column-reader.js";
import { embedColumn } from "./embed-column.js";
import type { EmbeddedColumn } from "./embedded-column.js";
import type { RowQuestion } from "./row-question.js";
import { rowTest, wordsTest } from "./row-test.js";
import { TextBudget } from "./text-budget.js";

/** Some rows of what is left of a table. */
export interface SomeRows {
  /** Which places they have; the last one is not among them. */
  readonly rows: readonly [from: number, to: number];
  /** Rows that pass all filters. */
  readonly of: number;
  /** By column, as they are embedded in an output. */
  readonly cells: readonly EmbeddedColumn[];
  /** Texts that were cut. */
  readonly cut: number;
}

/** All rows of a table, sorted and filtered as its output asks. */
export class TableRows {
  readonly #rowCount: number;
  readonly #readers: readonly ColumnReader[];
  /** The rows that answered last, since a table that is scrolled asks for the same ones again and again. */
  #last: { readonly key: string; readonly rows: Uint32Array } | undefined;

  constructor(rowCount: number, columns: readonly ColumnView[], forms: readonly CellForms[]) {
    this.#rowCount = rowCount;
    this.#readers = columns.map((column, place) => new ColumnReader(column, rowCount, forms[place] ?? { decimals: 0 }));
  }

  answer(question: RowQuestion): SomeRows {
    const rows = this.#arranged(question);
    const of = rows?.length ?? this.#rowCount;
    const from = Math.min(of, question.rows[0]);
    const to = Math.min(of, question.rows[1]);
    const places = Array.from({ length: to - from }, (_, place) => rows?.[from + place] ?? from + place);
    const budget = new TextBudget();
    const cells = this.#readers.map((reader) =>
      embedColumn(
        places.map((row) => reader.at(row)),
        budget,
      ),
    );
    return { rows: [from, to], of, cells, cut: budget.cut };
  }

  /** Undefined for all rows as they come. */
  #arranged(question: RowQuestion): Uint32Array | undefined {
    const { order, filter, find } = question;
    if (order.length + filter.length + find.words.length === 0) return undefined;
    const key = JSON.stringify([order, filter, find]);
    if (this.#last?.key === key) return this.#last.rows;
    const rows = this.#passing(question);
    this.#sort(rows, question);
    this.#last = { key, rows };
    return rows;
  }

  #passing({ filter, find }: RowQuestion): Uint32Array {
    const tests = filter.map((each) => rowTest(this.#reader(each.column), each));
    for (const word of find.words) {
      const finders = find.columns.map((column) => wordsTest(this.#reader(column), word));
      tests.push((row) => finders.some((has) => has(row)));
    }
    const rows = new Uint32Array(this.#rowCount);
    let count = 0;
    for (let row = 0; row < this.#rowCount; row += 1) {
      if (!tests.every((test) => test(row))) continue;
      rows[count] = row;
      count += 1;
    }
    return rows.slice(0, count);
  }

  #sort(rows: Uint32Array, { order }: RowQuestion): void {
    if (order.length === 0) return;
    const keys = order.map(([column, way]) => ({ ranks: this.#reader(column).ranks(), way }));
    rows.sort((a, b) => {
      for (const { ranks, way } of keys) {
        const [p, q] = [ranks[a] ?? Number.NaN, ranks[b] ?? Number.NaN];
        if (p === q) continue;
        if (Number.isNaN(p) || Number.isNaN(q)) {
          if (Number.isNaN(p) && Number.isNaN(q)) continue;
          return Number.isNaN(p) ? 1 : -1;
        }
        return p < q ? -way : way;
      }
      return a - b;
    });
  }

  #reader(column: number): ColumnReader {
    const reader = this.#readers[column];
    if (!reader) throw new RangeError(`no column ${column}`);
    return reader;
  }
}
