import type { ColumnTable } from "arquero";
import { propertyRule } from "../api/property-types.js";
import { resources } from "../api/resources.js";
import { type Diagnostic, withSeverity } from "../core/diagnostic.js";
import { parseInstant } from "../core/instant.js";
import { showValue } from "../core/show-value.js";
import { commonTimeZone, type TimeZones } from "../core/time-zone.js";
import { type Column, countTypes, DateColumn, type ValueType } from "../tables/column/column.js";
import { toTable } from "../tables/column/table.js";
import { faultText, faultyRows } from "../tables/export/sound-geometry.js";
import type { BaseField, FeatureColumns } from "../tables/read/feature-columns.js";
import { sqlNameDiagnostics, sqlNames } from "../tables/sql/sql-names.js";
import { declareType } from "../tables/types/declared-type.js";
import { mismatchDiagnostic, typeMismatches } from "../tables/types/type-mismatches.js";
import { baseColumns, type ColumnSchema, type LayerInput } from "./layer-data.js";
import { propertyType, propertyValues } from "./name-columns.js";
import { type PropertyColumn, propertyColumns } from "./property-columns.js";
import type { PropertyKey } from "./property-key.js";

/** A layer's table with its schema and diagnostics. */
export interface BuiltLayer {
  readonly table: ColumnTable;
  readonly schema: readonly ColumnSchema[];
  /** Names of the columns that `lookup()` and `derive()` added. */
  readonly added?: readonly string[];
  /** Computed on demand, since it scans the values. */
  readonly diagnostics: () => readonly Diagnostic[];
}

/** Names, orders and describes the columns of a layer and puts them into a table. */
export function buildLayer(input: LayerInput): BuiltLayer {
  const { features } = input;
  const { columns, diagnostics } = propertyColumns(input);
  return assembleLayer(input, columns, () => [
    ...input.diagnostics,
    ...diagnostics,
    ...mismatchDiagnostics(features, columns),
    ...localDiagnostics(columns, input.timeZone),
    ...geometryDiagnostics(features),
  ]);
}

/**
 * Puts columns into the order of a layer and describes them.
 *
 * @param diagnostics those of earlier steps, computed on demand
 */
export function assembleLayer(
  { features, timeZone }: Pick<LayerInput, "features" | "timeZone">,
  properties: readonly PropertyColumn[],
  diagnostics: () => readonly Diagnostic[],
): BuiltLayer {
  const fields = baseColumns(features);
  const base = (field: BaseField) => [field, baseColumn(features, field)] as const;
  const [leading, trailing] = [fields.leading.map(base), fields.trailing.map(base)];
  const schema = [
    ...leading.map(([field, values]) => baseSchema(field, values)),
    ...properties.map(propertySchema),
    ...trailing.map(([field, values]) => baseSchema(field, values)),
  ];
  return {
    table: toTable([
      ...leading,
      ...properties.map((property) => [property.column, propertyValues(property, property.values, timeZone)] as const),
      ...trailing,
    ]),
    schema,
    diagnostics: () => [...diagnostics(), ...sqlDiagnostics(schema)],
  };
}

/** Diagnostics for columns that have a different name in SQL. */
export function sqlDiagnostics(schema: readonly ColumnSchema[]): readonly Diagnostic[] {
  const { renamed } = sqlNames(schema.map(({ column, property_keys: [key] }) => ({ name: column, key })));
  return sqlNameDiagnostics(renamed, "layer.sql() and toParquet()");
}

/** A base field as a column: timestamps as `Date`, other values unchanged. */
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

function mismatchDiagnostics({ properties: raw }: FeatureColumns, properties: readonly PropertyColumn[]): Diagnostic[] {
  return properties.flatMap(({ column, keys }) =>
    keys.flatMap((key) => keyMismatch(column, key, raw.get(key.key) ?? [])),
  );
}

/** The diagnostics for DATETIME values without an offset. */
export function localDiagnostics(properties: readonly PropertyColumn[], timeZone: string): Diagnostic[] {
  return properties.flatMap((property) => {
    if (propertyRule(propertyType(property).type)?.kind !== "instant") return [];
    const isLocal = (value: unknown) => typeof value === "string" && parseInstant(value)?.zoned === false;
    const count = Array.from(property.values).filter(isLocal).length;
    if (count === 0) return [];
    const [values, were] = count === 1 ? ["value", "It was"] : ["values", "They were"];
    return [
      withSeverity({
        code: "value-without-zone",
        message: `${count} ${values} of ${showValue(property.column)} without an offset. ${were} read as local time in ${timeZone}.`,
        count,
        facts: { column: property.column, timeZone },
      }),
    ];
  });
}

/** Maximum number of ids in the facts. */
const NAMED = 10;

/** The diagnostic for malformed geometries, if any. */
function geometryDiagnostics({ base }: FeatureColumns): Diagnostic[] {
  const faulty = faultyRows(base.get("geometry") ?? []);
  if (faulty.length === 0) return [];
  const ids = faulty.map(({ row }) => base.get("id")?.at(row) ?? null);
  const nameOf = (index: number) => (typeof ids[index] === "number" ? `id ${ids[index]}` : `row ${faulty[index]?.row}`);
  const named = faulty.slice(0, 3).map(({ fault }, index) => `${nameOf(index)}: ${faultText(fault)}`);
  const more = faulty.length > named.length ? "; …" : "";
  const [has, they] =
    faulty.length === 1
      ? ["1 feature has a malformed geometry", "it has"]
      : [`${faulty.length} features have malformed geometries`, "they have"];
  return [
    withSeverity({
      code: "geometry-malformed",
      message: `${has} (${named.join("; ")}${more}); ${they} no location. The table and toGeoJSON() keep the original value, Arrow has null, and toParquet() and toGeoPackage() fail.`,
      count: faulty.length,
      facts: { ids: ids.filter((id) => typeof id === "number").slice(0, NAMED) },
    }),
  ];
}

/** The diagnostic for values that contradict the type in their key's definition, if any. */
export function keyMismatch(column: string, { key, definition }: PropertyKey, values: Column): Diagnostic[] {
  if (!definition) return [];
  const mismatches = typeMismatches(values, definition.type);
  return mismatches.count > 0 ? [mismatchDiagnostic(column, key, definition.type, mismatches)] : [];
}

/** The JSON type of values without a definition: `json` if they differ, `null` without values. */
export function seenType(column: Column): ValueType {
  const { null: _, ...counts } = countTypes(column);
  const seen = Object.entries(counts).filter(([, count]) => count > 0);
  return seen.length > 1 ? "json" : ((seen[0]?.[0] as ValueType | undefined) ?? "null");
}

/** Data of a layer as of a time. */
export interface PastLayer extends BuiltLayer {
  /** The records of the features, as read. */
  readonly features: FeatureColumns;
  /** The time zone of its times. */
  readonly timeZone: string;
  /** The time, for its provenance. */
  readonly asOf: string;
}

/**
 * The time zone of a layer's sites. Several zones have no common calendar, so UTC is used, with a diagnostic.
 *
 * @param options of the call, then of what it was called on
 */
export function layerTimeZone(
  options: readonly (TimeZones | undefined)[],
  { features, datasets }: Pick<LayerInput, "features" | "datasets">,
): { readonly timeZone: string; readonly diagnostics: readonly Diagnostic[] } {
  const sites = () => {
    const ofFeatures = features.base.get("site_id");
    return ofFeatures && features.rowCount > 0 ? ofFeatures : datasets.map((dataset) => dataset.site_id);
  };
  return commonTimeZone(options, sites, "features");
}
