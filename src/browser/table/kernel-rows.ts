// Rows of a table by index, loaded from the kernel while scrolling.
import { answerRows } from "../../tables/display/live/arrange-rows.js";
import type { ColumnHead, EmbeddedColumn } from "../../tables/display/live/embedded-column.js";
import type { GridRows } from "./grid-rows.js";
import type { KernelChannel } from "./kernel-channel.js";
import { columnsOf, type TableColumn } from "./table-columns.js";
import type { AskedRows } from "./table-state.js";

/** Rows that are requested together. */
const BLOCK = 200;
/** Milliseconds after which scrolling may repeat a request. */
const LOST = 10_000;
/** Number of cached blocks: fewer rows than an output may hold. */
const KEPT = 100;

interface KernelRowsOptions {
  readonly heads: readonly ColumnHead[];
  readonly columns: readonly TableColumn[];
  readonly question: AskedRows;
  /** Number of the first rows that are in the output, which apply because the table is neither sorted nor filtered. */
  readonly near: number;
  readonly of: number;
  readonly isPlain: boolean;
  readonly channel: KernelChannel;
  onRows(): void;
  onFailure(error: Error): void;
}

interface KernelRows extends GridRows {
  /** Adds rows that were requested elsewhere. */
  keep(block: number, cells: readonly EmbeddedColumn[]): void;
}

function kernelRows(options: KernelRowsOptions): KernelRows {
  const { heads, columns, question, near, of, isPlain, channel, onRows, onFailure } = options;
  const blocks = new Map<number, readonly TableColumn[]>();
  let wanted: readonly [from: number, to: number];
  /** When the pending question was asked; undefined if none is pending. */
  let asked: number | undefined;
  const ask = async (from: number, to: number) => {
    const answer = await channel.ask({ ...question, rows: [from, to] });
    if (answer.of !== of) throw new Error("the table has changed");
    return answer.cells;
  };
  const partOf = (cells: readonly EmbeddedColumn[]) => columnsOf(heads, cells, columns);
  const keep = (block: number, cells: readonly EmbeddedColumn[]) => {
    blocks.delete(block);
    blocks.set(block, partOf(cells));
    if (blocks.size > KEPT) blocks.delete(blocks.keys().next().value as number);
  };
  const blockAt = (place: number) => Math.floor(place / BLOCK);
  const missing = (from: number, to: number) => {
    for (let place = Math.max(from, near); place < to; place = (blockAt(place) + 1) * BLOCK)
      if (!blocks.has(blockAt(place))) return blockAt(place);
    return undefined;
  };
  /** One question at a time: after fast scrolling, the current position is requested next. */
  const pump = async () => {
    // An interrupt of the kernel also cancels the response.
    const isAsking = asked !== undefined && performance.now() - asked < LOST;
    const block = isAsking ? undefined : missing(...wanted);
    if (block === undefined) return;
    asked = performance.now();
    try {
      keep(block, await ask(block * BLOCK, Math.min(of, (block + 1) * BLOCK)));
      asked = undefined;
      onRows();
      pump();
    } catch (error) {
      asked = undefined;
      onFailure(error as Error);
    }
  };
  return {
    length: of,
    isPlain,
    at: (place) => {
      if (place < near) return { part: columns, row: place };
      const part = blocks.get(blockAt(place));
      return part && { part, row: place % BLOCK };
    },
    isHere: (from, to) => missing(from, to) === undefined,
    want: (from, to) => {
      wanted = [from, to];
      pump();
    },
    each: async (from, to, take, onProgress) => {
      let place = from;
      for (; place < Math.min(to, near); place += 1) take(columns, place);
      while (place < to) {
        const end = Math.min(to, place + answerRows.part);
        const part = partOf(await ask(place, end));
        for (let row = 0; row < end - place; row += 1) take(part, row);
        place = end;
        onProgress(place - from);
      }
    },
    keep,
  };
}

interface RowsListener {
  /** Whether a question, or its rows, are still wanted. */
  isNow(rows?: GridRows): boolean;
  show(rows: GridRows): void;
  /** Called when the first rows of a sorted or filtered table have arrived. */
  onRows(): void;
  /** Renders rows that have arrived. */
  paint(): void;
  onFailure(error: Error): void;
}

/**
 * Asks the kernel for the rows of a question. For sorted or filtered rows, the first response also has their number. Until
 * then, the old rows stay.
 */
export async function askRows(
  { near, of: all, ...options }: Omit<KernelRowsOptions, "isPlain" | "onRows" | "onFailure">,
  { isNow, show, onRows, paint, onFailure }: RowsListener,
): Promise<void> {
  const { question, channel } = options;
  const isPlain = question.order.length + question.filter.length + question.find.words.length === 0;
  const rowsOf = (of: number, near: number) => {
    const rows = kernelRows({
      ...{ ...options, near, of, isPlain },
      onRows: () => isNow(rows) && paint(),
      onFailure: (error) => isNow(rows) && onFailure(error),
    });
    return rows;
  };
  if (isPlain) return show(rowsOf(all, near));
  try {
    const { of, cells } = await channel.ask({ ...question, rows: [0, BLOCK] });
    if (!isNow()) return;
    const rows = rowsOf(of, 0);
    rows.keep(0, cells);
    show(rows);
    onRows();
  } catch (error) {
    if (isNow()) onFailure(error as Error);
  }
}
