import { type ReadOptions, readRules } from "../client/read-options.js";
import { type OptionRules, oneOf, text, texts } from "../core/options.js";

/** Options of `layer.history()`. */
export interface HistoryOptions extends ReadOptions {
  /** Property columns of the history. The whole log is read in any case. Default: every property. */
  readonly columns?: readonly string[];
  /** IANA time zone in which calendar dates begin and end; never the machine's. Default: `"UTC"`. */
  readonly timeZone?: string;
  /**
   * Whether to include deleted features (those of earlier pulls of a snapshot that later pulls no longer contain) on
   * the dates before their deletion. Live sources have no deleted features. Default: `"include"`.
   */
  readonly gone?: "include" | "exclude";
}

/** Rules for the options of `layer.history()`. */
export const historyRules: OptionRules<HistoryOptions> = {
  ...readRules,
  columns: texts,
  timeZone: text,
  gone: oneOf("include", "exclude"),
};
