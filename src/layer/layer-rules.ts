import type { ReadOptions } from "../client/ask/read-options.js";
import { readRules } from "../client/ask/read-rules.js";
import { flag, type OptionRules, oneOf } from "../core/option-rules.js";
import type { LayerOptions } from "./layer-data.js";

/** What `source.layer()` takes. */
export const layerRules: OptionRules<LayerOptions & ReadOptions> = {
  ...readRules,
  duplicateNames: oneOf("merge", "suffix", "error"),
  optionLabels: flag,
};
