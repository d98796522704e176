import { type ReadOptions, readRules } from "../client/read-options.js";
import { flag, type OptionRules, oneOf } from "../core/options.js";
import type { LayerOptions } from "./layer-data.js";

/** Rules of the options of `source.layer()`. */
export const layerRules: OptionRules<LayerOptions & ReadOptions> = {
  ...readRules,
  duplicateNames: oneOf("merge", "suffix", "error"),
  optionLabels: flag,
};
