import type { ReadOptions } from "../client/ask/read-options.js";
import type { Reader } from "../client/read/reader.js";
import { checkOptions } from "../core/check-options.js";
import { featureIds, historyFromLog } from "../history/build-history.js";
import { type HistoryOptions, historyRules } from "../history/history-options.js";
import { resolveTimeZone } from "../history/time/valid-time.js";
import type { History, Layer } from "../layer/layer.js";
import type { PastLayer } from "../layer/past-layer.js";
import { isStrict } from "./is-strict.js";
import { readLog } from "./read-log.js";

/**
 * Reads the history of a layer's features.
 *
 * @param layerOptions those of the layer's own read; `historyOptions` win over them
 */
export async function readHistory(
  reader: Reader,
  layer: Layer,
  layerOptions: ReadOptions,
  historyOptions: HistoryOptions,
): Promise<History> {
  checkOptions("history()", historyOptions, historyRules);
  const options: HistoryOptions & ReadOptions = { ...layerOptions, ...historyOptions };
  // A slip shows before the log is read, which can take minutes.
  resolveTimeZone(options.timeZone);
  const ids = featureIds(layer.input.features);
  // Of no features there is no log, and why there are none the layer says.
  const isEmpty = ids.length === 0;
  const { log, whole, readAt, ...read } = await readLog(reader, ids, {
    ...options,
    ...(isEmpty ? { onFinding: () => undefined } : {}),
    strict: isStrict(reader, options),
  });
  const findings = isEmpty ? layer.input.findings : read.findings;
  const layerOf = (past: PastLayer) => layer.past(past);
  return historyFromLog(layer.input, log, { ...options, readAt, findings, layerOf }, whole);
}
