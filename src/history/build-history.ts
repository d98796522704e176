import type { ReadResult } from "../client/reader.js";
import type { FeatureColumns } from "../columns/feature-columns.js";
import { parseInstant } from "../core/instant.js";
import type { LayerInput } from "../layer/layer-data.js";
import { decodeValue, optionLabels } from "../layer/option-labels.js";
import { propertyColumns } from "../layer/property-columns.js";
import { canonicalKey, keyResolver } from "../layer/property-key.js";
import { ChangeIndex, NONE } from "./change-index.js";
import { type ChangeLog, changeLog, type ValueDecoder } from "./change-log.js";
import { chooseColumns } from "./choose-columns.js";
import { History } from "./history.js";
import type { HistoryOptions } from "./history-options.js";
import { resolveTimeZone } from "./valid-time.js";

/**
 * The history of a layer's features from their whole log. The log of every property is needed even where `columns`
 * chooses some: a feature is absent only if no property of it was changed.
 */
export function buildHistory(
  input: LayerInput,
  read: ReadResult<"propertyChanges">,
  options: HistoryOptions = {},
): History {
  const timeZone = resolveTimeZone(options.timeZone);
  const { log, findings } = changeLog(read.rows, rowsById(input.features), valueDecoder(input));
  const all = propertyColumns(input, log.keys).columns;
  const names = all.map(({ column }) => column);
  const columns = chooseColumns(names, options.columns).flatMap((index) => all[index] ?? []);
  const columnOfKey = new Map<string, number>();
  columns.forEach(({ keys }, index) => {
    for (const { key } of keys) columnOfKey.set(canonicalKey(key), index);
  });
  const rowCount = input.features.rowCount;
  const index = new ChangeIndex(
    log,
    rowCount,
    columns.length,
    log.keys.map((key) => columnOfKey.get(key) ?? NONE),
  );
  return new History(
    {
      input,
      columns,
      log,
      index,
      createdUs: createdTimes(input.features),
      firstChangeUs: firstChanges(log, rowCount),
      timeZone,
    },
    read.readAt,
    [...read.findings, ...findings],
  );
}

/** The features whose changes a history needs. */
export function featureIds(features: FeatureColumns): readonly number[] {
  return Array.from(features.base.get("id") ?? [], Number);
}

function rowsById(features: FeatureColumns): ReadonlyMap<number, number> {
  return new Map(featureIds(features).map((id, row) => [id, row]));
}

function valueDecoder({ definitions, options }: LayerInput): ValueDecoder {
  if (!options.optionLabels) return (_, value) => value;
  const resolve = keyResolver(definitions);
  const labels = new Map<string, ReadonlyMap<unknown, string> | undefined>();
  return (key, value) => {
    if (!labels.has(key)) {
      const { definition } = resolve(key);
      labels.set(key, definition && optionLabels(definition));
    }
    const known = labels.get(key);
    return known ? decodeValue(value, known) : value;
  };
}

function createdTimes(features: FeatureColumns): Float64Array {
  return Float64Array.from(features.base.get("created_at") ?? [], (text) => {
    const instant = typeof text === "string" ? parseInstant(text) : undefined;
    return instant?.us ?? Number.NEGATIVE_INFINITY;
  });
}

function firstChanges(log: ChangeLog, rowCount: number): Float64Array {
  const first = new Float64Array(rowCount).fill(Number.POSITIVE_INFINITY);
  log.rows.forEach((row, change) => {
    first[row] = Math.min(first[row] ?? Number.POSITIVE_INFINITY, log.timesUs[change] ?? Number.POSITIVE_INFINITY);
  });
  return first;
}
