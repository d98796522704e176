import fc from "fast-check";
import type { LayoutDefinition } from "../../src/api/contract.js";
import type {
  Block,
  Dataset,
  LayerFeature,
  Operation,
  PropertyChange,
  PropertyDefinition,
  Site,
} from "../../src/api/resources.js";

export type TypedDataset = Dataset & {
  readonly type: string;
  readonly created_at: string | null;
  readonly updated_at: string | null;
};

/** Records with few distinct values, so that filters hit and sorts have ties. */
export interface RandomCompany {
  readonly sites: readonly Site[];
  readonly operations: readonly Operation[];
  readonly blocks: readonly Block[];
  readonly datasets: readonly TypedDataset[];
  readonly layerFeatures: readonly LayerFeature[];
  readonly propertyDefinitions: readonly PropertyDefinition[];
  readonly propertyChanges: readonly PropertyChange[];
}

export const SITE_IDS = [11, 12, 13];
export const OPERATION_IDS = [21, 22, 23];
export const DATASET_IDS = [31, 32, 33, 34];
export const SEMANTIC_TYPES = ["TRENCHES", "FENCES"];
export const DEFINITION_IDS = [1, 2, 3, 4, 5].map((digit) =>
  `${digit}AAAAAAA-0000-4000-8000-000000000000`.toLowerCase(),
);
/** As a service may write them, too. */
export const UPPER_CASE_IDS = DEFINITION_IDS.slice(0, 2).map((id) => id.toUpperCase());

/** U+FFFF sorts before U+1F600 by code point and after it by UTF-16 unit. */
const text = fc.constantFrom("", "a", "B", "b", "ä", "\uffff", "\u{1f600}", "10", "9", "q\"\\'", "\u2028");
const instant = fc.constantFrom(
  "2025-01-01T00:00:00.000001Z",
  "2025-01-01T00:00:00.000002Z",
  "2025-01-01T01:00:00.000001+01:00",
  "2024-12-31T23:59:59Z",
  "2025-06-30T12:00:00.5Z",
);
const value = fc.oneof(text, fc.integer({ min: -20, max: 20 }), fc.boolean(), fc.constant(null), fc.constant([1, "x"]));
const siteId = fc.constantFrom(...SITE_IDS);
const siteOrNull = fc.constantFrom(...SITE_IDS, null);
const operationOrNull = fc.constantFrom(...OPERATION_IDS, null);
const datasetId = fc.constantFrom(...DATASET_IDS);
const semanticOrNull = fc.constantFrom(...SEMANTIC_TYPES, null);
const point = { type: "Point" as const, coordinates: [1, 2] };
const polygon = { type: "Polygon" as const, coordinates: [] };

const layout: fc.Arbitrary<LayoutDefinition | null> = fc.option(
  fc.shuffledSubarray(DEFINITION_IDS).map((ids) => {
    const items = ids.map((id) => ({ type: "PROPERTY" as const, property_definition_id: id }));
    return { items: [...items.slice(0, 1), { type: "SECTION" as const, items: items.slice(1) }] };
  }),
  { nil: null },
);

function withIds<T extends object>(
  ids: readonly number[],
  fields: fc.Arbitrary<T>,
): fc.Arbitrary<(T & { id: number })[]> {
  return fc
    .tuple(fc.shuffledSubarray([...ids]), fc.array(fields, { minLength: ids.length, maxLength: ids.length }))
    .map(([chosen, rows]) =>
      chosen.flatMap((id, index) => rows.slice(index, index + 1).map((row) => ({ ...row, id }))),
    );
}

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

export const randomCompany: fc.Arbitrary<RandomCompany> = fc.record({
  sites: withIds(
    SITE_IDS,
    fc.record({
      company_id: fc.constant(1),
      name: text,
      type: fc.constantFrom("SOLAR" as const, "WIND" as const),
      stage: fc.constant("OPERATION" as const),
      coordinates: fc.constantFrom(point, null),
      geo_area: fc.constantFrom(0, 1.5),
      peak_power: fc.constantFrom(1.25, null),
      ac_power: fc.constant(null),
      address_line1: fc.option(text, { nil: null }),
      address_line2: fc.constant(null),
      address_line3: fc.constant(null),
    }),
  ),
  operations: withIds(
    OPERATION_IDS,
    fc.record({
      site_id: siteId,
      date_captured: fc.constantFrom("2025-01-01", "2025-02-01", null),
      status: fc.constantFrom("COMPLETED" as const, "DRAFT" as const),
      data_product_id: fc.constantFrom(1, 2),
      data_product_name: fc.option(text, { nil: null }),
      description: fc.constant(null),
      date_start: fc.option(instant, { nil: null }),
      date_end: fc.constant(null),
      contact_name: fc.constant(null),
      contact_phone: fc.constant(null),
      contact_mail: fc.constant(null),
    }),
  ),
  blocks: withIds(
    upTo(6),
    fc.record({
      operation_id: fc.constantFrom(...OPERATION_IDS),
      polygon_id: fc.constantFrom(1, null),
      name: fc.option(text, { nil: null }),
      geo_boundaries: fc.constant(polygon),
    }),
  ),
  datasets: withIds(
    DATASET_IDS,
    fc.record({
      identifier: text,
      site_id: siteOrNull,
      operation_id: operationOrNull,
      name: text,
      status: fc.constantFrom("COMPLETED", "PROCESSING"),
      semantic_type: semanticOrNull,
      layout_definition: layout,
      type: fc.constantFrom("geojson-layer", "geojson-layer", "geojson-layer", "dxf"),
      created_at: fc.option(instant, { nil: null }),
      updated_at: fc.option(instant, { nil: null }),
    }),
  ),
  layerFeatures: withIds(
    upTo(40),
    fc.record({
      visible_id: text,
      properties: fc.dictionary(fc.constantFrom("STATUS", "VOLUME", "a/b~c", ...DEFINITION_IDS), value),
      geometry: fc.constant(point),
      dataset_id: datasetId,
      site_id: siteOrNull,
      operation_id: operationOrNull,
      company_id: fc.constant(1),
      semantic_type: semanticOrNull,
      description: text,
      created_at: instant,
      updated_at: instant,
    }),
  ),
  propertyDefinitions: fc.shuffledSubarray(DEFINITION_IDS).chain((ids) =>
    fc.tuple(
      ...ids.map((id) =>
        fc.record({
          id: fc.constantFrom(id, id.toUpperCase()),
          dataset_id: datasetId,
          name: text,
          description: fc.option(text, { nil: null }),
          display_order: fc.constantFrom(7, 8),
          type: fc.constantFrom("STRING", "FLOAT", "DATE", "OPTION"),
          config: fc.constant({ options: [] }),
        }),
      ),
    ),
  ),
  propertyChanges: fc
    .array(
      fc.record({
        layer_feature_id: fc.integer({ min: 1, max: 42 }),
        property_key: fc.constantFrom("STATUS", "VOLUME", "status", ...DEFINITION_IDS, ...UPPER_CASE_IDS),
        new_value: value,
        system: fc.boolean(),
        user_id: fc.constantFrom(1, null),
        caused_by_change_id: fc.constant(null),
        created_at: instant,
      }),
      { maxLength: 60 },
    )
    .map((changes) =>
      changes.map((change, index) => ({
        ...change,
        id: `${String((index * 37) % 61).padStart(8, "0")}-0000-7000-8000-000000000000`,
      })),
    ),
});
