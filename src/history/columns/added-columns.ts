// Columns that are the same on every date: fields of the features' records, and columns added with derive() and
// lookup().

import { checkDerived, type DeriveOptions, type DeriveValue, derivedValues } from "../../layer/derive-rules.js";
import { propertyValues } from "../../layer/name-columns.js";
import type { Column } from "../../tables/column/column.js";
import { baseFields, isBaseField } from "../../tables/read/feature-columns.js";
import type { AddedColumn, HistoryData } from "../cell/history-data.js";

/** A base field or an added column; undefined for other names, which may be properties. */
export function constantColumn({ features, added }: HistoryData, name: string): Column | undefined {
  return isBaseField(name) ? features.base(name) : added.get(name)?.values;
}

/** Names of such columns. */
export function constantNames({ added }: HistoryData): readonly string[] {
  return [...baseFields, ...added.keys()];
}

/**
 * The results of a function for each feature's current row: its fields, the history's properties, and added columns.
 */
export function computeByFeature(data: HistoryData, compute: DeriveValue): Column {
  return derivedValues(data.features.count, presentColumns(data), compute);
}

/**
 * The data of a history with an additional column, computed from each feature's current row.
 *
 * @throws ArgumentError for a name that the history has already, and for a value that is not a function
 */
export function deriveColumn(
  data: HistoryData,
  name: string,
  compute: DeriveValue,
  options: DeriveOptions,
): HistoryData {
  const names = presentColumns(data).map(([each]) => each);
  checkDerived({ kind: "history", names }, name, compute, options);
  const column: AddedColumn = { values: computeByFeature(data, compute), unit: options.unit };
  return { ...data, added: new Map([...data.added, [name, column]]) };
}

function presentColumns({ features, columns, added }: HistoryData): readonly (readonly [string, Column])[] {
  const { leading, trailing } = features.fields;
  return [
    ...[...leading, ...trailing].map((field) => [field, features.base(field)] as const),
    ...columns.map((property) => [property.column, propertyValues(property, property.values)] as const),
    ...[...added].map(([name, { values }]) => [name, values] as const),
  ];
}
