// What is written below a table: the number of its rows, and where the missing ones are.
import type { TablePayload } from "../../tables/display/live/embedded-column.js";
import { many } from "../page/elements.js";
import type { KernelChannel } from "./kernel-channel.js";

/** What the line below a table depends on. */
export interface TableFoot {
  readonly payload: TablePayload;
  /** Number of rows in the output. */
  readonly here: number;
  /** Number of rows that pass the filters. */
  readonly passing: number;
  readonly isSorted: boolean;
  readonly line: Pick<KernelChannel, "state" | "isWaiting">;
  /** Reason why the last question failed. */
  readonly trouble: string;
}

const isOpen = ({ line }: TableFoot) => line.state === "open";

/** Number of rows that can be shown. */
export function totalOf(foot: TableFoot): number {
  return isOpen(foot) ? foot.payload.rows : foot.here;
}

const OTHERS: Readonly<Record<KernelChannel["state"], string>> = {
  unasked: "",
  open: ", others in the kernel",
  silent: ", no kernel for others",
  gone: ", others no longer in the kernel",
};

export function countText(foot: TableFoot): string {
  const { payload, here, passing, line, trouble } = foot;
  const { rows, columns, heads, summarised, cut } = payload;
  const named = heads.filter(({ type }) => type !== "index").length;
  const others = trouble ? `; ${trouble}` : OTHERS[line.state];
  const isSample = summarised < rows;
  return [
    line.isWaiting && "waiting for the kernel …",
    passing < totalOf(foot) && `${many(passing)} of the ${many(totalOf(foot))} rows${isOpen(foot) ? "" : " here"}`,
    `${many(rows)} rows${here === rows ? "" : ` (first ${many(here)} loaded${others})`}`,
    `${many(columns)} columns${named < columns ? `, ${many(named)} of them here` : ""}`,
    isSample ? `summaries of ${many(summarised)} sampled rows` : here < rows && "summaries of all rows",
    cut > 0 && `${many(cut)} long strings cut`,
  ]
    .filter(Boolean)
    .join(" · ");
}

/** The text after the last row. */
export function missingText(foot: TableFoot): string {
  const { payload, here, passing, isSorted } = foot;
  if (isOpen(foot) || here === payload.rows) return "";
  const isAll = !isSorted && passing === here;
  return `${many(payload.rows - here)} more rows are not loaded${isAll ? "" : ", sorted or searched"}`;
}
