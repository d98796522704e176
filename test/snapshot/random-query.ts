import fc from "fast-check";
import { type Endpoint, endpointOf } from "../../src/api/endpoints.js";
import type { ParsedQuery } from "../../src/api/parse-query.js";
import type { ResourceName } from "../../src/api/resources.js";
import type { Access } from "../../src/snapshot/serve/snapshot-store.js";
import {
  DATASET_IDS,
  DEFINITION_IDS,
  OPERATION_IDS,
  SEMANTIC_TYPES,
  SITE_IDS,
  UPPER_CASE_IDS,
} from "./random-company.js";

export interface RandomQuery {
  readonly endpoint: Endpoint;
  readonly query: ParsedQuery;
  readonly access: Access;
}

type Values = readonly (string | number | null)[];

const filterValues: Readonly<Record<ResourceName, Readonly<Record<string, Values>>>> = {
  sites: { id: [...SITE_IDS, 99] },
  operations: {
    id: OPERATION_IDS,
    site_id: SITE_IDS,
    status: ["COMPLETED", "DRAFT", "FLOWN"],
    data_product_id: [1, 2, 3],
  },
  blocks: { operation_id: OPERATION_IDS },
  datasets: {
    id: DATASET_IDS,
    site_id: [...SITE_IDS, null],
    operation_id: [...OPERATION_IDS, null],
    type: ["geojson-layer", "dxf", "x'); DROP TABLE served.sites; --", "\u0000"],
    status: ["COMPLETED", "PROCESSING"],
    semantic_type: [...SEMANTIC_TYPES, null],
  },
  layerFeatures: {
    site_id: [...SITE_IDS, null],
    operation_id: [...OPERATION_IDS, null],
    dataset_id: DATASET_IDS,
    semantic_type: [...SEMANTIC_TYPES, null, "NONE"],
  },
  propertyDefinitions: { dataset_id: DATASET_IDS, type: ["STRING", "FLOAT", "it's"] },
  propertyChanges: {
    layer_feature_id: Array.from({ length: 44 }, (_, index) => index),
    property_key: ["STATUS", "VOLUME", ...DEFINITION_IDS, ...UPPER_CASE_IDS],
  },
};

const sortFields: Readonly<Record<ResourceName, readonly string[]>> = {
  sites: ["id", "name", "peak_power", "address_line1"],
  operations: ["id", "date_captured", "data_product_name", "date_start", "status"],
  blocks: ["id", "polygon_id", "name"],
  datasets: ["id", "created_at", "updated_at"],
  layerFeatures: [
    ...["id", "visible_id", "description", "created_at", "updated_at", "site"],
    ...["STATUS", "VOLUME", "a/b~c", ...DEFINITION_IDS].map((key) => `properties.${key}`),
  ],
  propertyDefinitions: ["id", "display_order"],
  propertyChanges: ["created_at", "id"],
};

const access: fc.Arbitrary<Access> = fc.oneof(
  fc.constant({ siteIds: undefined }),
  fc.subarray([...SITE_IDS, 99]).map((siteIds) => ({ siteIds })),
);

/** Queries with the filters that the endpoint requires, and any others. */
export const randomQuery: fc.Arbitrary<RandomQuery> = fc
  .constantFrom(...(Object.keys(filterValues) as ResourceName[]))
  .chain((resource) => fc.record({ endpoint: fc.constant(endpointOf(resource)), query: queryOf(resource), access }));

function queryOf(resource: ResourceName): fc.Arbitrary<ParsedQuery> {
  const filters = Object.entries(filterValues[resource]).map(([name, values]) => {
    const required = endpointOf(resource).filters[name]?.required === true;
    const chosen = fc.subarray([...values], { minLength: 1, maxLength: Math.min(values.length, 12) });
    return fc.tuple(fc.constant(name), required ? chosen : fc.option(chosen, { nil: undefined, freq: 1 }));
  });
  return fc.record({
    filters: fc
      .tuple(...filters)
      .map((pairs) => new Map(pairs.flatMap(([name, values]) => (values ? [[name, values]] : [])))),
    page: fc.integer({ min: 1, max: 4 }),
    pageSize: fc.constantFrom(1, 3, 10, 100),
    sort: fc.uniqueArray(fc.record({ field: fc.constantFrom(...sortFields[resource]), descending: fc.boolean() }), {
      minLength: 1,
      maxLength: 3,
      selector: ({ field }) => field,
    }),
  });
}
