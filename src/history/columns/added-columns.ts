// Columns that are the same at every date: fields of the features' records, and what derive() and follow() added.
import { checkDerived, type DeriveOptions, type DeriveValue, derivedValues } from "../../layer/derive-rules.js";
import type { Column } from "../../tables/column/column.js";
import { baseFields, isBaseField } from "../../tables/read/feature-columns.js";
import type { AddedColumn, HistoryData } from "../cell/history-data.js";

/** A base field, or a column that was added; undefined of any other name, which may be a property's. */
export function constantColumn({ features, added }: HistoryData, name: string): Column | undefined {
  return isBaseField(name) ? features.base(name) : added.get(name)?.values;
}

/** The names of which there are such columns. */
export function constantNames({ added }: HistoryData): readonly string[] {
  return [...baseFields, ...added.keys()];
}

/** What a function makes of each feature's present row: its fields, the history's properties, and what was added. */
export function computeByFeature(data: HistoryData, compute: DeriveValue): Column {
  return derivedValues(data.features.count, presentColumns(data), compute);
}

/**
 * The data of a history with a column more, which is computed from each feature's present row.
 *
 * @throws ArgumentError for a name that the history has already, and what is no function
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

function presentColumns({ features, names, columns, added }: HistoryData): readonly (readonly [string, Column])[] {
  const { leading, trailing } = features.fields;
  return [
    ...[...leading, ...trailing].map((field) => [field, features.base(field)] as const),
    ...names.map((name, column) => [name, columns[column]?.values ?? []] as const),
    ...[...added].map(([name, { values }]) => [name, values] as const),
  ];
}
