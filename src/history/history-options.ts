import { type ReadOptions, readRules } from "../client/read-options.js";
import { type OptionRules, oneOf, texts } from "../core/options.js";
import { type TimeZones, timeZonesRule } from "../core/time-zone.js";

/** Options of `layer.history()`. */
export interface HistoryOptions extends ReadOptions {
  /** Property columns of the history. The whole log is read in any case. Default: every property. */
  readonly columns?: readonly string[];
  /**
   * Time zone in which calendar dates begin and end and times are shown, never the machine's: an IANA name, or names by site
   * id. Default: that of the layer.
   */
  readonly timeZone?: TimeZones | undefined;
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
  timeZone: timeZonesRule,
  gone: oneOf("include", "exclude"),
};
