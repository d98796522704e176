import { ABSENT } from "../cells/cell.js";
import type { CellBuilder } from "../cells/cell-builder.js";
import type { RecordColumn, RecordColumns } from "../column/column.js";
import type { ColumnPage, RecordReader } from "./record-reader.js";

/** Part of a page: its rows from `start` to before `end`. */
export interface PageSlice {
  readonly content: ColumnPage;
  readonly start: number;
  readonly end: number;
}

/**
 * Concatenated slices of pages, as columns. Takes the cells out of the pages column by column, and frees the memory of
 * all pages of the reader.
 */
export function assemblePages(reader: RecordReader, slices: readonly PageSlice[]): RecordColumns {
  const rowCount = slices.reduce((sum, { start, end }) => sum + end - start, 0);
  const finish = (builder: CellBuilder) => {
    const cells = gather(builder, slices, rowCount);
    for (const { content } of slices) content.cells.delete(builder);
    return builder.finish(cells);
  };
  const columns = finished(reader, rowCount, finish);
  reader.freePages();
  return columns;
}

/** One page as columns that share its cells. */
export function finishPage(reader: RecordReader, { cells, rowCount }: ColumnPage): RecordColumns {
  const absent = () => new Uint32Array(2 * rowCount).fill(ABSENT);
  return finished(reader, rowCount, (builder) => builder.finish(cells.get(builder) ?? absent()));
}

function finished(
  { fields, nested, properties }: RecordReader,
  rowCount: number,
  finish: (builder: CellBuilder) => RecordColumn,
): RecordColumns {
  const finishAll = (builders: ReadonlyMap<string, CellBuilder>) =>
    new Map([...builders].map(([name, builder]) => [name, finish(builder)]));
  return { rowCount, fields: finishAll(fields), nested, properties: finishAll(properties) };
}

function gather(builder: CellBuilder, slices: readonly PageSlice[], rowCount: number): Uint32Array {
  const gathered = new Uint32Array(2 * rowCount);
  let next = 0;
  for (const { content, start, end } of slices) {
    const cells = content.cells.get(builder);
    if (cells) gathered.set(cells.subarray(2 * start, 2 * end), 2 * next);
    else gathered.fill(ABSENT, 2 * next, 2 * (next + end - start));
    next += end - start;
  }
  return gathered;
}
