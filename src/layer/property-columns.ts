import type { Column } from "../columns/column.js";
import { FirstNonNull } from "../columns/first-non-null.js";
import type { Finding } from "../core/finding.js";
import { sameJson } from "../core/json.js";
import type { LayerInput } from "./layer-data.js";
import { layoutKeys } from "./layout-keys.js";
import { type NamedColumn, nameColumns } from "./name-columns.js";
import { decodeColumn, optionLabels } from "./option-labels.js";
import { orderColumns } from "./order-columns.js";
import { canonicalKey, keyResolver, type PropertyKey } from "./property-key.js";

/** A property column with its values. */
export interface PropertyColumn extends NamedColumn {
  readonly values: Column;
}

/** The property columns of a layer, named and in order. */
export interface PropertyColumns {
  readonly columns: readonly PropertyColumn[];
  readonly findings: readonly Finding[];
}

/**
 * The property columns of features: those that features have, that the layouts name, and `extraKeys` (keys that only
 * the log knows).
 */
export function propertyColumns(input: LayerInput, extraKeys: Iterable<string> = []): PropertyColumns {
  const { features, datasets } = input;
  const laidOut = new Set(input.layoutDatasetIds);
  const layout = layoutKeys(datasets.filter(({ id }) => laidOut.has(id)));
  const keys = allKeys(features.properties.keys(), [...layout, ...extraKeys]).map(keyResolver(input.definitions));
  const names = new Map(datasets.map(({ id, name }) => [id, name]));
  const named = nameColumns(keys, {
    duplicateNames: input.options.duplicateNames,
    datasetName: (id) => names.get(id) ?? `dataset ${id}`,
    conflicts: (group) => countConflicts(input, group),
  });
  return {
    columns: orderColumns(named.columns, layout).map((column) => ({ ...column, values: columnValues(input, column) })),
    findings: [...named.findings, ...unresolvedFinding(keys)],
  };
}

/** The keys of features as they are, then those that only layouts or the log name; a UUID is one key in either case. */
function allKeys(featureKeys: Iterable<string>, others: Iterable<string>): readonly string[] {
  const keys = [...featureKeys];
  const known = new Set(keys.map(canonicalKey));
  for (const key of others) {
    const canonical = canonicalKey(key);
    if (!known.has(canonical)) keys.push(canonical);
    known.add(canonical);
  }
  return keys;
}

function countConflicts({ features }: LayerInput, group: readonly PropertyKey[]): number {
  const columns = group.map(({ key }) => features.properties.get(key) ?? []);
  let conflicts = 0;
  for (let row = 0; row < features.rowCount; row += 1) {
    const values = columns.map((column) => column.at(row)).filter((value) => value !== null && value !== undefined);
    if (values.some((value) => !sameJson(value, values[0]))) conflicts += 1;
  }
  return conflicts;
}

function columnValues({ features, options }: LayerInput, { keys }: NamedColumn): Column {
  const columns = keys.flatMap(({ key, definition }) => {
    const values = features.properties.get(key);
    const labels = options.optionLabels && definition ? optionLabels(definition) : undefined;
    return values ? [labels ? decodeColumn(values, labels) : values] : [];
  });
  const [only] = columns;
  return columns.length === 1 && only ? only : new FirstNonNull(features.rowCount, columns);
}

function unresolvedFinding(keys: readonly PropertyKey[]): Finding[] {
  const unresolved = keys.filter(({ source }) => source === "unresolved").map(({ key }) => key);
  if (unresolved.length === 0) return [];
  return [
    {
      code: "unresolved-key",
      message: `${unresolved.length} property ${unresolved.length === 1 ? "key has" : "keys have"} no definition that this API key can read; the UUID is the column's name.`,
      count: unresolved.length,
      facts: { property_keys: unresolved.sort() },
    },
  ];
}
