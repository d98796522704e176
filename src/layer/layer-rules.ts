import { type ReadOptions, readRules } from "../client/read-options.js";
import { flag, type OptionRules, oneOf } from "../core/options.js";
import type { LayerOptions } from "./layer-data.js";

/** What `source.layer()` takes. */
export const layerRules: OptionRules<LayerOptions & ReadOptions> = {
  ...readRules,
  duplicateNames: oneOf("merge", "suffix", "error"),
  optionLabels: flag,
};
