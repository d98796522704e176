import type { ColumnTable } from "arquero";
import type { Finding } from "../core/finding.js";
import type { LayerInput } from "../layer/layer-data.js";
import { decodeValue, optionLabels } from "../layer/option-labels.js";
import type { PastLayer } from "../layer/past-layer.js";
import { type PropertyColumn, propertyColumns } from "../layer/property-columns.js";
import { keyResolver } from "../layer/property-key.js";
import type { FeatureColumns } from "../tables/read/feature-columns.js";
import { columnValues } from "./cell/column-values.js";
import { FeatureRows } from "./cell/feature-rows.js";
import type { HistoryData } from "./cell/history-data.js";
import { presence } from "./cell/present-rows.js";
import { standingRows } from "./cell/standing-rows.js";
import { chooseColumns, columnsByKey } from "./columns/choose-columns.js";
import { History } from "./history.js";
import type { HistoryOptions } from "./history-options.js";
import { ChangeIndex } from "./index/change-index.js";
import { type ChangeLog, narrowCodes, ValueDictionary } from "./log/change-log.js";
import { resolveTimeZone } from "./time/valid-time.js";

/** What is known of a log besides its changes. */
export interface LogOptions<L> extends HistoryOptions {
  /** When it was read, milliseconds since 1970. */
  readonly readAt: number;
  /** What the reading found. */
  readonly findings: readonly Finding[];
  /** Makes a layer of what it was at a time. */
  readonly layerOf: (past: PastLayer) => L;
}

/**
 * The history of a layer's features from their whole log. The log of every property is needed even where `columns`
 * chooses some: a feature is absent only if no property of it was changed.
 *
 * @param whole the log with the changes that it leaves out; it says which cells were ever changed
 */
export function historyFromLog<L>(
  input: LayerInput,
  rawLog: ChangeLog,
  options: LogOptions<L>,
  whole = rawLog,
): History<ColumnTable, L> {
  const log = labelValues(rawLog, input);
  const features = new FeatureRows(input.features);
  const all = propertyColumns(input, whole.keys);
  const chosen = chooseColumns(
    all.columns.map(({ column }) => column),
    options.columns,
  );
  const columns = chosen.map((index) => all.columns[index] as PropertyColumn);
  const columnOfKey = columnsByKey(columns, log.keys);
  const index = new ChangeIndex(log, features.count, columns.length, columnOfKey);
  const fullIndex =
    whole === rawLog
      ? index
      : new ChangeIndex(whole, features.count, columns.length, columnsByKey(columns, whole.keys));
  const data: HistoryData = {
    features,
    columns,
    names: columns.map(({ column }) => column),
    columnOfKey,
    log,
    changesInAll: log.length,
    index,
    fullIndex,
    everLogged: (column) => columnValues({ index, log }, column, 1).codes,
    standing: standingRows(fullIndex, columns),
    ...presence(features.createdUs, log),
    layerFindings: [...input.findings, ...all.findings],
    origin: input.origin,
    timeZone: resolveTimeZone(options.timeZone),
    readAtUs: options.readAt * 1000,
    knownUntil: undefined,
  };
  return new History(data, [...options.findings, ...all.findings], options.layerOf);
}

/** The features whose changes a history needs. */
export function featureIds(features: FeatureColumns): readonly number[] {
  return Array.from(features.base.get("id") ?? [], Number);
}

/** The log with OPTION codes replaced by their labels, as the layer's `optionLabels` asks; values of one label are one. */
function labelValues(log: ChangeLog, { definitions, options }: LayerInput): ChangeLog {
  if (!options.optionLabels) return log;
  const resolve = keyResolver(definitions);
  const unlabelled = new Map<number, number>();
  const labelsOfKey = log.keys.map((key) => {
    const { definition } = resolve(key);
    return definition && optionLabels(definition);
  });
  const values = new ValueDictionary([null]);
  // One value can have a label in each of several properties, so there can be more values than before.
  const codeOf = labelsOfKey.map((labels) => (labels ? new Map<number, number>() : unlabelled));
  const labelled = Int32Array.from(log.valueCodes, (code, change) => {
    const key = log.keyCodes[change] as number;
    const known = codeOf[key]?.get(code);
    if (known !== undefined) return known;
    const labels = labelsOfKey[key];
    const value = log.values[code];
    const found = values.code(labels ? decodeValue(value, labels) : value);
    codeOf[key]?.set(code, found);
    return found;
  });
  return { ...log, valueCodes: narrowCodes(labelled, values.values.length), values: values.values };
}
