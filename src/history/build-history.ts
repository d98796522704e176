import type { ColumnTable } from "arquero";
import type { Diagnostic } from "../core/diagnostic.js";
import { resolveTimeZone } from "../core/time-zone.js";
import type { BuiltLayer, PastLayer } from "../layer/build-layer.js";
import { columnUnit, type LayerInput } from "../layer/layer-data.js";
import { decodeValue, optionLabels } from "../layer/option-labels.js";
import { areaOf, lengthOf } from "../layer/place/geometry-measures.js";
import { type PropertyColumn, propertyColumns } from "../layer/property-columns.js";
import { keyResolver } from "../layer/property-key.js";
import { type Column, computedColumn } from "../tables/column/column.js";
import { soundGeometry } from "../tables/export/sound-geometry.js";
import type { FeatureColumns } from "../tables/read/feature-columns.js";
import { FeatureRows, type GoneRows } from "./cell/feature-rows.js";
import { type AddedColumn, type HistoryData, standingRows } from "./cell/history-data.js";
import { presence } from "./cell/present-rows.js";
import { chooseColumns, columnsByKey } from "./columns/choose-columns.js";
import { History } from "./history.js";
import { goneDiagnostics } from "./history-diagnostics.js";
import type { HistoryOptions } from "./history-options.js";
import { ChangeIndex, columnValues } from "./index/change-index.js";
import { type ChangeLog, NONE, narrowCodes, ValueDictionary } from "./log/change-log.js";

/** Facts about a log besides its changes. */
export interface LogOptions<L> extends HistoryOptions {
  /** When it was read, milliseconds since 1970. */
  readonly readAt: number;
  /** Diagnostics of the reading. */
  readonly diagnostics: readonly Diagnostic[];
  /** The layer of the features, with its further columns. Default: none. */
  readonly layer?: AddingLayer;
  /** The deleted features. Default: none. */
  readonly goneRows?: GoneRows | undefined;
  /** Creates a layer from its state at a time. */
  readonly layerOf: (past: PastLayer) => L;
}

/**
 * The history of a layer's features from their whole log. The changes of all properties are needed even if `columns`
 * chooses some: a feature is absent only if none of its properties was changed.
 *
 * @param whole the log including the changes that `log` leaves out; it determines which cells were ever changed
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
    { ...input, diagnostics: [...input.diagnostics, ...all.diagnostics] },
    { features, columns, columnOfKey, log, index, fullIndex },
    {
      ...options,
      diagnostics: [...options.diagnostics, ...goneDiagnostics(features), ...all.diagnostics],
      lacks: new Set(),
    },
  );
}

type Indexed = Pick<HistoryData, "features" | "columns" | "columnOfKey" | "log" | "index" | "fullIndex">;

function historyOfIndex<L>(
  input: LayerInput,
  indexed: Indexed,
  options: Pick<ColumnsOptions<L>, "timeZone" | "readAt" | "diagnostics" | "layerOf" | "lacks" | "layer" | "goneRows">,
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
    layerDiagnostics: input.diagnostics,
    added: addedColumns(options.layer, options.goneRows),
    measure,
    lacks: options.lacks,
    origin: input.origin,
    timeZone: resolveTimeZone(options.timeZone),
    readAtUs: options.readAt * 1000,
    knownUntil: undefined,
  };
  return new History(data, options.diagnostics, options.layerOf);
}

/** A layer that may have further columns. */
type AddingLayer = Pick<BuiltLayer, "table" | "schema" | "added">;

/** The layer has no values for deleted features. */
function addedColumns(layer: AddingLayer | undefined, gone: GoneRows | undefined): ReadonlyMap<string, AddedColumn> {
  const valuesOf = (name: string): Column => {
    const values = layer?.table.column(name) ?? [];
    if (!gone) return values;
    const { layerRows } = gone;
    return computedColumn(layerRows.length, (row) => {
      const index = layerRows[row] as number;
      return index < 0 ? null : values.at(index);
    });
  };
  return new Map(
    layer?.added?.map((name) => {
      const entry = layer.schema.find(({ column }) => column === name);
      return [name, { values: valuesOf(name), unit: entry && columnUnit(entry) }] as const;
    }),
  );
}

/** A point has no length, and a line has no area, so there is nothing to sum. */
function measure(extent: "length" | "area", value: unknown): number | null {
  const geometry = soundGeometry(value);
  return (geometry && (extent === "length" ? lengthOf(geometry) : areaOf(geometry))) || null;
}

/** Options for a log whose columns are named without definitions. */
export interface ColumnsOptions<L> extends Omit<LogOptions<L>, "columns"> {
  /**
   * All columns: the key in the log, the name, and the current values. Default of the values: those of the last changes
   * up to the time of reading.
   */
  readonly columns: readonly { readonly key: string; readonly column: string; readonly values: Column | undefined }[];
  /** The columns of the history; undefined for all. */
  readonly chosen: readonly string[] | undefined;
  /** Columns of answers for which such a log has no data. */
  readonly lacks: ReadonlySet<string>;
}

/** The history of a log whose columns are already named. */
export function historyOfColumns<L>(
  input: LayerInput,
  log: ChangeLog,
  options: ColumnsOptions<L>,
): History<ColumnTable, L> {
  const features = new FeatureRows(input.features);
  const chosen = chooseColumns(
    options.columns.map(({ column }) => column),
    options.chosen,
  ).map((position) => options.columns[position] as ColumnsOptions<L>["columns"][number]);
  const placeOf = new Map(chosen.map(({ key }, position) => [key, position]));
  const columnOfKey = Int32Array.from(log.keys, (key) => placeOf.get(key) ?? NONE);
  const index = new ChangeIndex(log, features.count, chosen.length, columnOfKey);
  const readAtUs = options.readAt * 1000;
  const lastValues = (column: number) =>
    computedColumn(features.count, (row) => {
      const position = index.lastUpTo(index.cell(row, column), readAtUs);
      return position === undefined ? null : log.values[index.valueCodes[position] as number];
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

/**
 * The log with OPTION codes replaced by their labels, according to the layer's `optionLabels`; values with one label
 * become one.
 */
function labelValues(log: ChangeLog, { definitions, options }: LayerInput): ChangeLog {
  if (!options.optionLabels) return log;
  const resolve = keyResolver(definitions);
  const unlabelled = new Map<number, number>();
  const labelsOfKey = log.keys.map((key) => {
    const { definition } = resolve(key);
    return definition && optionLabels(definition);
  });
  const values = new ValueDictionary([null]);
  // One value can have different labels in several properties, so the number of values may grow.
  const codeOf = labelsOfKey.map((labels) => (labels ? new Map<number, number>() : unlabelled));
  const labelled = Int32Array.from(log.valueCodes, (code, change) => {
    const key = log.keyCodes[change] as number;
    const cached = codeOf[key]?.get(code);
    if (cached !== undefined) return cached;
    const labels = labelsOfKey[key];
    const value = log.values[code];
    const found = values.code(labels ? decodeValue(value, labels) : value);
    codeOf[key]?.set(code, found);
    return found;
  });
  return { ...log, valueCodes: narrowCodes(labelled, values.values.length), values: values.values };
}
