// Loads the rows of a table for a question: from the output, or from the kernel.
import { arrangeRows } from "../../tables/display/live/arrange-rows.js";
import { type GridRows, nearRows } from "./grid-rows.js";
import type { KernelChannel, openKernelChannel } from "./kernel-channel.js";
import type { askRows } from "./kernel-rows.js";
import type { LiveTable } from "./live-table.js";
import type { AskedRows } from "./table-state.js";

/** The functions for a table that may load more rows from a kernel. */
export interface KernelAccess {
  readonly openKernelChannel: typeof openKernelChannel;
  readonly askRows: typeof askRows;
}

interface RowsOptions {
  readonly kernel: KernelAccess | undefined;
  readonly channel: KernelChannel | undefined;
  /** Number of rows in the output. */
  readonly here: number;
  /** Shows rows. */
  show(rows: GridRows): void;
  /** Called when rows of a question have arrived from the kernel. */
  onRows(): void;
  /** Renders rows that have arrived. */
  paint(): void;
  onFailure(message: string): void;
}

/** Returns a function that loads and shows the rows for a question, from the kernel if `isFar`. */
export function rowLoader(
  table: LiveTable,
  { kernel, channel, here, show, onRows, paint, onFailure }: RowsOptions,
): (question: AskedRows, isFar?: boolean) => void {
  const { columns, payload } = table;
  /** Number of questions: responses to earlier ones are ignored. */
  let count = 0;
  const showNear = (question: AskedRows) => {
    const order = arrangeRows(here, columns, question);
    show(nearRows(columns, order, question.order.length === 0 && order.length === here));
  };
  return (question, isFar) => {
    count += 1;
    const now = count;
    if (!kernel || !channel || !isFar) return showNear(question);
    void kernel.askRows(
      { heads: payload.heads, columns, question, near: here, of: payload.rows, channel },
      {
        isNow: (rows) => (rows ? table.rows === rows : now === count),
        show,
        ...{ onRows, paint },
        onFailure: ({ message }) => {
          // Without repeating a message.
          if (channel.state !== "open") return;
          onFailure(message);
          showNear(question);
        },
      },
    );
  };
}
