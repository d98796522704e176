import type { ResolvedFilters } from "../api/filters.js";
import type { Slice } from "../client/paginator/ordered-lookahead.js";
import type { ColumnsRead, Reader } from "../client/read/reader.js";
import { isStrict } from "../client/read/reader.js";
import type { ReadOptions } from "../client/read-options.js";
import type { Diagnostic } from "../core/diagnostic.js";
import { checkOptions } from "../core/options.js";
import { checkTimeZones } from "../core/time-zone.js";
import { featureIds, historyFromLog } from "../history/build-history.js";
import { reportNew } from "../history/history-diagnostics.js";
import { type HistoryOptions, historyRules } from "../history/history-options.js";
import { type LogReading, logFromColumns } from "../history/log/log-from-columns.js";
import type { PastLayer } from "../layer/build-layer.js";
import { layerTimeZone } from "../layer/build-layer.js";
import type { History, Layer } from "../layer/layer.js";
import { type ChangeColumns, changeColumnsOfRecords, sliceChanges } from "../tables/read/change-columns.js";
import { changeDecoder } from "../tables/read/change-decoder.js";
import { KeptChanges } from "../tables/read/kept-changes.js";
import { addGoneFeatures } from "./gone-features.js";

/**
 * Reads the history of a layer's features.
 *
 * @param filters of the layer's features
 * @param layerOptions of the layer; `historyOptions` win over them
 */
export async function readHistory(
  reader: Reader,
  filters: ResolvedFilters,
  layer: Layer,
  layerOptions: ReadOptions,
  historyOptions: HistoryOptions,
): Promise<History> {
  checkOptions("history()", historyOptions, historyRules);
  const options: HistoryOptions & ReadOptions = { ...layerOptions, ...historyOptions };
  // Rejects an invalid time zone before the log is read, which can take minutes.
  checkTimeZones(options.timeZone);
  const zone = layerTimeZone([historyOptions.timeZone, layer.timeZone], layer.input);
  const { input, gone } = await addGoneFeatures(reader, filters, layer.input, options);
  const ids = featureIds(input.features);
  // Without features the log is not read. The layer's diagnostics explain why it is empty.
  const isEmpty = ids.length === 0;
  const { log, whole, readAt, reported, ...read } = await readLog(reader, ids, {
    ...options,
    ...(isEmpty ? { onDiagnostic: () => undefined } : {}),
    strict: isStrict(reader, options),
  });
  const diagnostics = [...(isEmpty ? layer.input.diagnostics : read.diagnostics), ...zone.diagnostics];
  const layerOf = (past: PastLayer) => layer.past(past);
  const history = historyFromLog(
    input,
    log,
    { ...options, timeZone: zone.timeZone, readAt, diagnostics, layer, goneRows: gone, layerOf },
    whole,
  );
  const report = options.onDiagnostic ?? reader.onDiagnostic;
  if (!report) return history;
  // The layer has reported its own diagnostics, which a history repeats.
  const isTold = report === (layerOptions.onDiagnostic ?? reader.onDiagnostic);
  reportNew(report, history.diagnostics, [...reported, ...(isTold ? layer.diagnostics : [])]);
  return history;
}

/** The log of features, and the time of reading. */
interface LogRead extends LogReading {
  readonly readAt: number;
  /** The diagnostics that the reader has reported. */
  readonly reported: readonly Diagnostic[];
}

/**
 * Reads the log of features.
 *
 * @param ids of the features, in the order of their rows
 */
async function readLog(
  reader: Reader,
  ids: readonly number[],
  options: ReadOptions & { readonly strict: boolean },
): Promise<LogRead> {
  const { columns, readAt, diagnostics } = await readChanges(reader, new Map([["layer_feature_id", ids]]), options);
  const rowOf = new Map(ids.map((id, row) => [id, row]));
  const reading = logFromColumns(columns, rowOf, options.strict);
  return { ...reading, readAt, reported: diagnostics, diagnostics: [...diagnostics, ...reading.diagnostics] };
}

/** Property changes in columns, in any order: the reader's own columns, or new ones from its pages or records. */
export async function readChanges(
  reader: Reader,
  filters: ResolvedFilters,
  options: ReadOptions,
): Promise<ColumnsRead<readonly ChangeColumns[]>> {
  const stored = await reader.changes?.(filters, options);
  if (stored) return stored;
  if (!reader.gather) {
    const { rows, readAt, diagnostics } = await reader.all("propertyChanges", filters, options);
    return { columns: [changeColumnsOfRecords(rows)], readAt, diagnostics };
  }
  const kept = new KeptChanges();
  const keep = ({ content, start, end }: Slice<ChangeColumns>) => kept.add(sliceChanges(content, start, end));
  const { readAt, diagnostics } = await reader.gather("propertyChanges", filters, changeDecoder(), keep, options);
  return { columns: kept.parts(), readAt, diagnostics };
}
