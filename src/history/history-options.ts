import { type ReadOptions, readRules } from "../client/read-options.js";
import { type OptionRules, oneOf, text, texts } from "../core/options.js";

/** Options of `layer.history()`. */
export interface HistoryOptions extends ReadOptions {
  /** Property columns that the history is about; every property if absent. The whole log is read in either case. */
  readonly columns?: readonly string[];
  /** IANA time zone in which calendar dates begin and end. Default `"UTC"`; never the machine's. */
  readonly timeZone?: string;
  /**
   * Whether features that a snapshot was pulled with before, and that no longer came, are part of the dates before that
   * (`"include"`, the default). A live source cannot give them.
   */
  readonly gone?: "include" | "exclude";
}

/** What `layer.history()` takes. */
export const historyRules: OptionRules<HistoryOptions> = {
  ...readRules,
  columns: texts,
  timeZone: text,
  gone: oneOf("include", "exclude"),
};
