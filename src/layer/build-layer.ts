import type { ColumnTable } from "arquero";
import { type ResourceName, resources } from "../api/resources.js";
import type { Column } from "../columns/column/column.js";
import { countTypes } from "../columns/column/count-types.js";
import { DateColumn } from "../columns/column/date-column.js";
import { toTable } from "../columns/column/table.js";
import { sqlNameFindings } from "../columns/export/sql-name-findings.js";
import { sqlNames } from "../columns/export/sql-names.js";
import type { BaseField, FeatureColumns } from "../columns/read/feature-columns.js";
import type { Finding } from "../core/finding.js";
import { showValue } from "../core/show-value.js";
import { type ColumnSchema, type LayerInput, leadingFields, trailingFields } from "./layer-data.js";
import { type PropertyColumn, propertyColumns } from "./property-columns.js";
import type { PropertyKey } from "./property-key.js";
import { countMismatches, seenType } from "./value-type.js";

/** A layer's table with its schema and findings. */
export interface BuiltLayer {
  readonly table: ColumnTable;
  readonly schema: readonly ColumnSchema[];
  readonly findings: readonly Finding[];
}

/** Names, orders and describes the columns of a layer and puts them into a table. */
export function buildLayer(input: LayerInput): BuiltLayer {
  const { features } = input;
  const { columns, findings } = propertyColumns(input);
  return assembleLayer((field) => baseColumn(features, field), columns, [
    ...input.findings,
    ...findings,
    ...mismatchFindings(features, columns),
  ]);
}

/**
 * Puts columns into the order of a layer and describes them.
 *
 * @param base the fields of the features
 * @param findings what is known of them already
 */
export function assembleLayer(
  base: (field: BaseField) => Column,
  properties: readonly PropertyColumn[],
  findings: readonly Finding[],
): BuiltLayer {
  const leading = leadingFields.map((field) => [field, base(field)] as const);
  const trailing = trailingFields.map((field) => [field, base(field)] as const);
  const schema = [
    ...leading.map(([field, values]) => baseSchema(field, values)),
    ...properties.map(propertySchema),
    ...trailing.map(([field, values]) => baseSchema(field, values)),
  ];
  return {
    table: toTable([...leading, ...properties.map(({ column, values }) => [column, values] as const), ...trailing]),
    schema,
    findings: [...findings, ...sqlFindings(schema)],
  };
}

/** The columns that are called otherwise in SQL. */
export function sqlFindings(schema: readonly ColumnSchema[]): readonly Finding[] {
  const { renamed } = sqlNames(schema.map(({ column, property_keys: [key] }) => ({ name: column, key })));
  return sqlNameFindings(renamed, "layer.sql() and toParquet()");
}

/** A base field as a column: timestamps as `Date`, everything else as it came. */
export function baseColumn(features: FeatureColumns, field: BaseField): Column {
  const column = features.base.get(field) ?? [];
  return fieldType("layerFeatures", field) === "timestamp" ? new DateColumn(column) : column;
}

function fieldType(resource: ResourceName, field: BaseField): string {
  const fields: Readonly<Record<string, { readonly type: string }>> = resources[resource].fields;
  return fields[field]?.type ?? "json";
}

function baseSchema(field: BaseField, values: Column): ColumnSchema {
  return {
    column: field,
    property_keys: [],
    definitions: [],
    type: fieldType("layerFeatures", field),
    nulls: countTypes(values).null,
    source: "base",
  };
}

function propertySchema({ column, keys, values }: PropertyColumn): ColumnSchema {
  const definitions = keys.flatMap(({ definition }) => definition ?? []);
  return {
    column,
    property_keys: keys.map(({ key }) => key),
    definitions,
    type: definitions[0]?.type ?? seenType(values),
    nulls: countTypes(values).null,
    source: keys[0]?.source ?? "unresolved",
  };
}

function mismatchFindings({ properties: raw }: FeatureColumns, properties: readonly PropertyColumn[]): Finding[] {
  return properties.flatMap(({ column, keys }) =>
    keys.flatMap((key) => mismatchFinding(column, key, raw.get(key.key) ?? [])),
  );
}

/** That values are not of the type that the definition of their key promises, if any are not. */
export function mismatchFinding(column: string, { key, definition }: PropertyKey, values: Column): Finding[] {
  const count = definition ? countMismatches(values, definition) : 0;
  if (count === 0) return [];
  return [
    {
      code: "type-mismatch",
      message: `${count} ${count === 1 ? "value" : "values"} of ${showValue(column)} ${count === 1 ? "is" : "are"} not of the definition's type ${definition?.type} and stay as they came.`,
      count,
      facts: { column, property_key: key },
    },
  ];
}
