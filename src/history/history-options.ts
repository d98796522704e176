import type { ReadOptions } from "../client/read-options.js";

/** Options of `layer.history()`. */
export interface HistoryOptions extends ReadOptions {
  /** Property columns that the answers are limited to; every property if absent. The log of all is read. */
  readonly columns?: readonly string[];
  /** IANA time zone in which calendar dates begin and end. Default `"UTC"`; never the machine's. */
  readonly timeZone?: string;
}
