import type { ColumnTable } from "arquero";
import type { Finding } from "../core/finding.js";
import type { BuiltLayer } from "../layer/build-layer.js";
import { columnUnit, type LayerInput } from "../layer/layer-data.js";
import { decodeValue, optionLabels } from "../layer/option-labels.js";
import type { PastLayer } from "../layer/past-layer.js";
import { areaOf, lengthOf } from "../layer/place/geometry-place.js";
import { type PropertyColumn, propertyColumns } from "../layer/property-columns.js";
import { keyResolver } from "../layer/property-key.js";
import { type Column, computedColumn } from "../tables/column/column.js";
import { soundGeometry } from "../tables/export/sound-geometry.js";
import type { FeatureColumns } from "../tables/read/feature-columns.js";
import { columnValues } from "./cell/column-values.js";
import { FeatureRows } from "./cell/feature-rows.js";
import type { GoneRows } from "./cell/gone-rows.js";
import type { AddedColumn, HistoryData } from "./cell/history-data.js";
import { presence } from "./cell/present-rows.js";
import { standingRows } from "./cell/standing-rows.js";
import { chooseColumns, columnsByKey } from "./columns/choose-columns.js";
import { History } from "./history.js";
import { goneFindings } from "./history-findings.js";
import type { HistoryOptions } from "./history-options.js";
import { ChangeIndex } from "./index/change-index.js";
import { type ChangeLog, NONE, narrowCodes, ValueDictionary } from "./log/change-log.js";
import { resolveTimeZone } from "./time/valid-time.js";

/** What is known of a log besides its changes. */
export interface LogOptions<L> extends HistoryOptions {
  /** When it was read, milliseconds since 1970. */
  readonly readAt: number;
  /** What the reading found. */
  readonly findings: readonly Finding[];
  /** The layer whose features they are, with its columns besides those of the features; none if absent. */
  readonly layer?: AddingLayer;
  /** Which features are gone; none if absent. */
  readonly goneRows?: GoneRows | undefined;
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
  const features = new FeatureRows(input.features, options.goneRows?.us);
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
  return historyOfIndex(
    { ...input, findings: [...input.findings, ...all.findings] },
    { features, columns, columnOfKey, log, index, fullIndex },
    { ...options, findings: [...options.findings, ...goneFindings(features), ...all.findings], lacks: new Set() },
  );
}

type Indexed = Pick<HistoryData, "features" | "columns" | "columnOfKey" | "log" | "index" | "fullIndex">;

function historyOfIndex<L>(
  input: LayerInput,
  indexed: Indexed,
  options: Pick<ColumnsOptions<L>, "timeZone" | "readAt" | "findings" | "layerOf" | "lacks" | "layer" | "goneRows">,
): History<ColumnTable, L> {
  const { features, columns, log, index, fullIndex } = indexed;
  const data: HistoryData = {
    ...indexed,
    blocks: input.blocks,
    names: columns.map(({ column }) => column),
    changesInAll: log.length,
    everLogged: (column) => columnValues({ index, log }, column, 1).codes.map((code) => log.values[code]),
    standing: standingRows(fullIndex, columns),
    ...presence(features, log),
    layerFindings: input.findings,
    added: addedColumns(options.layer, options.goneRows),
    measure,
    lacks: options.lacks,
    origin: input.origin,
    timeZone: resolveTimeZone(options.timeZone),
    readAtUs: options.readAt * 1000,
    knownUntil: undefined,
  };
  return new History(data, options.findings, options.layerOf);
}

/** A layer that may have columns besides those of its features. */
type AddingLayer = Pick<BuiltLayer, "table" | "schema" | "added">;

/** Of features that are gone the layer has no values. */
function addedColumns(layer: AddingLayer | undefined, gone: GoneRows | undefined): ReadonlyMap<string, AddedColumn> {
  const valuesOf = (name: string): Column => {
    const values = layer?.table.column(name) ?? [];
    if (!gone) return values;
    const { layerRows } = gone;
    return computedColumn(layerRows.length, (row) => {
      const place = layerRows[row] as number;
      return place < 0 ? null : values.at(place);
    });
  };
  return new Map(
    layer?.added?.map((name) => {
      const entry = layer.schema.find(({ column }) => column === name);
      return [name, { values: valuesOf(name), unit: entry && columnUnit(entry) }] as const;
    }),
  );
}

/** A point is of no length, and a line of no area: they have none to be added up. */
function measure(extent: "length" | "area", value: unknown): number | null {
  const geometry = soundGeometry(value);
  return (geometry && (extent === "length" ? lengthOf(geometry) : areaOf(geometry))) || null;
}

/** A log whose columns need no definitions to be named. */
export interface ColumnsOptions<L> extends Omit<LogOptions<L>, "columns"> {
  /** All of them: the key that the log knows, the name, and the present values. Default: those of the last changes up to the time of reading. */
  readonly columns: readonly { readonly key: string; readonly column: string; readonly values: Column | undefined }[];
  /** Those that the history is about; all if undefined. */
  readonly chosen: readonly string[] | undefined;
  /** Columns of answers of which such a log knows nothing. */
  readonly lacks: ReadonlySet<string>;
}

/** The history of a log whose columns are named already. */
export function historyOfColumns<L>(
  input: LayerInput,
  log: ChangeLog,
  options: ColumnsOptions<L>,
): History<ColumnTable, L> {
  const features = new FeatureRows(input.features);
  const chosen = chooseColumns(
    options.columns.map(({ column }) => column),
    options.chosen,
  ).map((place) => options.columns[place] as ColumnsOptions<L>["columns"][number]);
  const placeOf = new Map(chosen.map(({ key }, place) => [key, place]));
  const columnOfKey = Int32Array.from(log.keys, (key) => placeOf.get(key) ?? NONE);
  const index = new ChangeIndex(log, features.count, chosen.length, columnOfKey);
  const readAtUs = options.readAt * 1000;
  const lastValues = (column: number) =>
    computedColumn(features.count, (row) => {
      const place = index.lastUpTo(index.cell(row, column), readAtUs);
      return place === undefined ? null : log.values[index.valueCodes[place] as number];
    });
  const columns = chosen.map(({ key, column, values = lastValues(placeOf.get(key) as number) }): PropertyColumn => {
    return { column, keys: [{ key, source: "built-in", definition: undefined }], values, choices: [], isInLayer: true };
  });
  return historyOfIndex(input, { features, columns, columnOfKey, log, index, fullIndex: index }, options);
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
