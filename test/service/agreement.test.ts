import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Endpoint, endpointOf, endpoints } from "../../src/api/endpoints.js";
import type { FilterValue } from "../../src/api/filters.js";
import type { ResourceName } from "../../src/api/resources.js";
import { buildQuery } from "../../src/client/page/paged-query.js";
import { queryDefaults } from "../../src/service/requests/route.js";
import type { Service } from "../../src/service/start-service.js";
import type { SnapshotStore } from "../../src/snapshot/serve/snapshot-store.js";
import { json, send } from "./client.js";
import { company, depth } from "./company.js";
import { openSnapshotOf, startTestService } from "./test-service.js";

let store: SnapshotStore;
let services: readonly Service[];
beforeAll(async () => {
  store = await openSnapshotOf(company);
  services = [await startTestService(), await startTestService({ store })];
});
afterAll(async () => {
  await Promise.all(services.map((service) => service.close()));
  await store.close();
});

/** Values with and without matching rows. */
const values: Readonly<Record<string, readonly FilterValue[]>> = {
  id: [1, 2, 3, 5, 12, 15, 101, 103, 999],
  site_id: [null, 12, 15, 20, 999],
  operation_id: [null, 101, 102, 103, 104],
  dataset_id: [1, 2, 3, 4, 5, 7],
  layer_feature_id: [1, 2, 3, 7, 8, 999],
  data_product_id: [40, 41],
  property_key: ["STATUS", depth, "status"],
  semantic_type: [null, "TRENCHES", "SOLAR_ANOMALIES", "RGB", "it's"],
  status: ["COMPLETED", "PROCESSING"],
  type: ["geojson-layer", "dxf", "FLOAT", "STRING", "%"],
};

function queryOf(endpoint: Endpoint): fc.Arbitrary<string> {
  const filters = Object.entries(endpoint.filters).map(([name, { nullable, required }]) => {
    const known = (values[name] ?? []).filter((value) => value !== null || nullable);
    const chosen = fc.subarray([...known], { minLength: 1 });
    const isNeeded = required || endpoint.oneOf?.[0] === name;
    return (isNeeded ? chosen : fc.option(chosen, { nil: undefined })).map((list) => [name, list] as const);
  });
  const { complete, fields, properties } = endpoint.sort;
  const sortable = complete ? fields : queryDefaults(endpoint, 10_000).sortable;
  const field = fc.constantFrom(...sortable, ...(properties ? ["properties.STATUS"] : []));
  const sort = fc.array(fc.record({ field, descending: fc.boolean() }), { maxLength: 3 });
  return fc
    .tuple(fc.tuple(...filters), fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1, max: 5 }), sort)
    .map(([chosen, page, pageSize, keys]) => {
      const given = chosen.flatMap(([name, list]) => (list ? [[name, list] as const] : []));
      return `${endpoint.path}?${buildQuery(new Map(given), { page, pageSize, sort: keys })}`;
    });
}

it.each(Object.keys(endpoints) as ResourceName[])(
  "the snapshot returns the same %s as the store in memory",
  async (resource) => {
    const key = fc.constantFrom("all", "park", "nothing");
    await fc.assert(
      fc.asyncProperty(queryOf(endpointOf(resource)), key, async (target, name) => {
        const headers = { Authorization: `ApiKey ${name}` };
        const [plain, stored] = await Promise.all(services.map((service) => send(service, target, { headers })));
        expect(stored && json(stored)).toEqual(plain && json(plain));
      }),
      { numRuns: 150 },
    );
  },
);
