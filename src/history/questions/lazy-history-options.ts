import { anything, type OptionRules } from "../../core/options.js";
import type { LayerOptions } from "../../layer/layer-data.js";
import { layerRules } from "../../layer/layer-rules.js";
import { type HistoryOptions, historyRules } from "../history-options.js";
import type { DuckDB } from "./engine/duckdb.js";
import type { Engine } from "./engine/engine.js";

/** Options of `snapshot.lazyHistory()`: those of a history, and the engine. */
export interface LazyHistoryOptions extends LayerOptions, HistoryOptions {
  /** The engine: `duckdb()` in this process, or `trino()`, which needs the snapshot's tables. Default: `duckdb()`. */
  readonly engine?: DuckDB | Engine | undefined;
}

/** Rules for the options of `snapshot.lazyHistory()`. */
export const questionsRules: OptionRules<LazyHistoryOptions> = { ...historyRules, ...layerRules, engine: anything };
