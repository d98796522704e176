import type { ColumnTable } from "arquero";
import { resources } from "../api/resources.js";
import type { Finding } from "../core/finding.js";
import { type Column, countTypes, DateColumn, type ValueType } from "../tables/column/column.js";
import { toTable } from "../tables/column/table.js";
import { faultText, faultyRows } from "../tables/export/sound-geometry.js";
import type { BaseField, FeatureColumns } from "../tables/read/feature-columns.js";
import { sqlNameFindings, sqlNames } from "../tables/sql/sql-names.js";
import { declareType } from "../tables/types/declared-type.js";
import { mismatchFinding, typeMismatches } from "../tables/types/type-mismatches.js";
import { baseColumns, type ColumnSchema, type LayerInput } from "./layer-data.js";
import { propertyType } from "./name-columns.js";
import { type PropertyColumn, propertyColumns } from "./property-columns.js";
import type { PropertyKey } from "./property-key.js";

/** A layer's table with its schema and findings. */
export interface BuiltLayer {
  readonly table: ColumnTable;
  readonly schema: readonly ColumnSchema[];
  /** Names of the columns that `follow()` and `derive()` added. */
  readonly added?: readonly string[];
  /** Looks through values, and so is for those who ask. */
  readonly findings: () => readonly Finding[];
}

/** Names, orders and describes the columns of a layer and puts them into a table. */
export function buildLayer(input: LayerInput): BuiltLayer {
  const { features } = input;
  const { columns, findings } = propertyColumns(input);
  return assembleLayer(features, columns, () => [
    ...input.findings,
    ...findings,
    ...mismatchFindings(features, columns),
    ...geometryFindings(features),
  ]);
}

/**
 * Puts columns into the order of a layer and describes them.
 *
 * @param findings what is known of them already, for those who ask
 */
export function assembleLayer(
  features: FeatureColumns,
  properties: readonly PropertyColumn[],
  findings: () => readonly Finding[],
): BuiltLayer {
  for (const property of properties) declareType(property.values, propertyType(property));
  const fields = baseColumns(features);
  const base = (field: BaseField) => [field, baseColumn(features, field)] as const;
  const [leading, trailing] = [fields.leading.map(base), fields.trailing.map(base)];
  const schema = [
    ...leading.map(([field, values]) => baseSchema(field, values)),
    ...properties.map(propertySchema),
    ...trailing.map(([field, values]) => baseSchema(field, values)),
  ];
  return {
    table: toTable([...leading, ...properties.map(({ column, values }) => [column, values] as const), ...trailing]),
    schema,
    findings: () => [...findings(), ...sqlFindings(schema)],
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
  const { type } = resources.layerFeatures.fields[field];
  return declareType(type === "timestamp" ? new DateColumn(column) : column, { of: "field", type });
}

function baseSchema(field: BaseField, values: Column): ColumnSchema {
  return {
    column: field,
    property_keys: [],
    definitions: [],
    type: resources.layerFeatures.fields[field].type,
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
    keys.flatMap((key) => keyMismatch(column, key, raw.get(key.key) ?? [])),
  );
}

/** How many features are named. */
const NAMED = 10;

/** That geometries are none, where there are such. */
function geometryFindings({ base }: FeatureColumns): Finding[] {
  const faulty = faultyRows(base.get("geometry") ?? []);
  if (faulty.length === 0) return [];
  const ids = faulty.map(({ row }) => base.get("id")?.at(row) ?? null);
  const nameOf = (index: number) => (typeof ids[index] === "number" ? `id ${ids[index]}` : `row ${faulty[index]?.row}`);
  const named = faulty.slice(0, 3).map(({ fault }, index) => `${nameOf(index)}: ${faultText(fault)}`);
  const more = faulty.length > named.length ? "; …" : "";
  const [has, they] =
    faulty.length === 1
      ? ["1 feature has a geometry that is", "it has"]
      : [`${faulty.length} features have geometries that are`, "they have"];
  return [
    {
      code: "malformed-geometry",
      message: `${has} none (${named.join("; ")}${more}): ${they} no place. The table and toGeoJSON() have it as it came, in Arrow it is null, files of Parquet and GeoPackage take no such feature.`,
      count: faulty.length,
      facts: { ids: ids.filter((id) => typeof id === "number").slice(0, NAMED) },
    },
  ];
}

/** That values are not of the type that the definition of their key promises, where there are such. */
export function keyMismatch(column: string, { key, definition }: PropertyKey, values: Column): Finding[] {
  if (!definition) return [];
  const mismatches = typeMismatches(values, definition.type);
  return mismatches.count > 0 ? [mismatchFinding(column, key, definition.type, mismatches)] : [];
}

/** The JSON type of a column's values where no definition names it: `json` where they differ, `null` where none is. */
export function seenType(column: Column): ValueType {
  const { null: _, ...counts } = countTypes(column);
  const seen = Object.entries(counts).filter(([, count]) => count > 0);
  return seen.length > 1 ? "json" : ((seen[0]?.[0] as ValueType | undefined) ?? "null");
}
