import { anything, type OptionRules } from "../../core/options.js";
import type { LayerOptions } from "../../layer/layer-data.js";
import { layerRules } from "../../layer/layer-rules.js";
import { type HistoryOptions, historyRules } from "../history-options.js";
import type { DuckDB } from "./engine/duckdb.js";
import type { Engine } from "./engine/engine.js";

/** Options of `snapshot.questions()`: those of a history, and where it is asked. */
export interface QuestionsOptions extends LayerOptions, HistoryOptions {
  /** What answers: `duckdb()` in this process (default), or `trino()`, which has the snapshot's tables. */
  readonly engine?: DuckDB | Engine | undefined;
}

/** What `snapshot.questions()` takes. */
export const questionsRules: OptionRules<QuestionsOptions> = { ...historyRules, ...layerRules, engine: anything };
