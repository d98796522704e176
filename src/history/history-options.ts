import { type ReadOptions, readRules } from "../client/read-options.js";
import { type OptionRules, text, texts } from "../core/options.js";

/** Options of `layer.history()`. */
export interface HistoryOptions extends ReadOptions {
  /** Property columns that the history is about; every property if absent. The whole log is read in either case. */
  readonly columns?: readonly string[];
  /** IANA time zone in which calendar dates begin and end. Default `"UTC"`; never the machine's. */
  readonly timeZone?: string;
}

/** What `layer.history()` takes. */
export const historyRules: OptionRules<HistoryOptions> = { ...readRules, columns: texts, timeZone: text };
