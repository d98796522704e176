import { type Diagnostic, withSeverity } from "../core/diagnostic.js";
import { sameJson } from "../core/json.js";
import { addOptionCodes } from "../core/option-codes.js";
import { type Column, computedColumn } from "../tables/column/column.js";
import { layoutDiagnostics, layoutKeys, orderColumns } from "./column-order.js";
import type { LayerInput } from "./layer-data.js";
import { type NamedColumn, nameColumns } from "./name-columns.js";
import { decodeColumn, optionLabels, optionList } from "./option-labels.js";
import { canonicalKey, keyResolver, type PropertyKey } from "./property-key.js";

/** A property column with its values. */
export interface PropertyColumn extends NamedColumn {
  readonly values: Column;
  /** The choices in its definitions, as they occur in the column: codes, or labels instead. */
  readonly choices: readonly unknown[];
  /** Whether features or a layout contain it; false if only the log does. */
  readonly isInLayer: boolean;
}

/** The property columns of a layer, named and in order. */
export interface PropertyColumns {
  readonly columns: readonly PropertyColumn[];
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * The property columns of features: keys of the features, keys of the layouts, and `extraKeys` (keys that occur only in the
 * log; the names of the other columns do not depend on them).
 */
export function propertyColumns(input: LayerInput, extraKeys: Iterable<string> = []): PropertyColumns {
  const { features, datasets } = input;
  const laidOut = new Set(input.layoutDatasetIds);
  const ordering = datasets.filter(({ id }) => laidOut.has(id));
  const layout = layoutKeys(ordering);
  const resolve = keyResolver(input.definitions);
  const ownKeys = distinctKeys([...features.properties.keys()], layout);
  const later = distinctKeys(ownKeys, extraKeys).slice(ownKeys.length);
  const present = new Set(ownKeys);
  const names = new Map(datasets.map(({ id, name }) => [id, name]));
  const context = {
    duplicateNames: input.options.duplicateNames,
    datasetName: (id: number) => names.get(id) ?? `dataset ${id}`,
    conflicts: (group: readonly PropertyKey[]) => countConflicts(input, group),
  };
  const named = nameColumns(ownKeys.map(resolve), context, later.map(resolve));
  return {
    columns: orderColumns(named.columns, layout).map((column) => ({
      ...column,
      values: columnValues(input, column),
      choices: choicesOf(input, column),
      isInLayer: column.keys.some(({ key }) => present.has(key)),
    })),
    diagnostics: [
      ...named.diagnostics,
      ...unresolvedDiagnostic([...ownKeys, ...later].map(resolve)),
      ...layoutDiagnostics(ordering),
    ],
  };
}

/** Keys in their form, then the others in canonical form; a UUID is one key in either case. */
function distinctKeys(first: readonly string[], others: Iterable<string>): readonly string[] {
  const keys = [...first];
  const keySet = new Set(keys.map(canonicalKey));
  for (const key of others) {
    const canonical = canonicalKey(key);
    if (!keySet.has(canonical)) keys.push(canonical);
    keySet.add(canonical);
  }
  return keys;
}

function countConflicts({ features }: LayerInput, group: readonly PropertyKey[]): number {
  const columns = group.map(({ key }) => features.properties.get(key) ?? []);
  let conflicts = 0;
  for (let row = 0; row < features.rowCount; row += 1) {
    if (isConflict(columns, row)) conflicts += 1;
  }
  return conflicts;
}

/** Whether the values of a row differ. */
function isConflict(columns: readonly Column[], row: number): boolean {
  let first: unknown = null;
  for (const column of columns) {
    const value = column.at(row) ?? null;
    if (first === null) first = value;
    else if (value !== null && !sameJson(value, first)) return true;
  }
  return false;
}

function columnValues({ features, options }: LayerInput, { keys }: NamedColumn): Column {
  const columns = keys.flatMap(({ key, definition }) => {
    const values = features.properties.get(key);
    const labels = options.optionLabels && definition ? optionLabels(definition) : undefined;
    return values ? [labels ? decodeColumn(values, labels) : values] : [];
  });
  const [only] = columns;
  return columns.length === 1 && only ? only : firstNonNull(features.rowCount, columns);
}

function choicesOf({ options }: LayerInput, { keys }: NamedColumn): readonly unknown[] {
  const listed = keys.flatMap(({ definition }) => (definition ? optionList(definition) : []));
  addOptionCodes(listed.map(({ code }) => String(code)));
  return listed.map(({ code, label = code }) => (options.optionLabels ? label : code));
}

/** Several columns merged into one: the first value of each row that is not null. */
function firstNonNull(length: number, columns: readonly Column[]): Column {
  return computedColumn(length, (row) => {
    for (const column of columns) {
      const value = column.at(row);
      if (value !== null && value !== undefined) return value;
    }
    return null;
  });
}

function unresolvedDiagnostic(keys: readonly PropertyKey[]): Diagnostic[] {
  const unresolved = keys.filter(({ source }) => source === "unresolved").map(({ key }) => key);
  if (unresolved.length === 0) return [];
  return [
    withSeverity({
      code: "key-unresolved",
      message: `${unresolved.length} property ${unresolved.length === 1 ? "key has" : "keys have"} no definition that this API key can read. The column name is the UUID.`,
      count: unresolved.length,
      facts: { property_keys: unresolved.sort() },
    }),
  ];
}
