import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Service } from "../../src/service/start-service.js";
import type { SnapshotStore } from "../../src/snapshot/serve/snapshot-store.js";
import { uuid } from "../support/records.js";
import { ids, json, send } from "./client.js";
import { company, depth } from "./company.js";
import { MemoryStore } from "./memory-store.js";
import { openSnapshotOf, startTestService } from "./test-service.js";

const features = (query: string) => `/layerFeatures?_page=1&${query}`;
const trenches = (query: string) => features(`dataset_id=2&${query}`);
const changes = (query: string) => `/propertyChanges?layer_feature_id=1&layer_feature_id=2&${query}`;
const park = features("site_id=12");
const all = "_sortBy=id";
/** A feature of the park, and a feature outside of it. */
const twoFeatures = "/propertyChanges?layer_feature_id=7&layer_feature_id=2";
const definitions = (...numbers: readonly number[]) => numbers.map((n) => uuid(n, "aaaaaaaa"));

type Ids = readonly (number | string)[];

const selections: readonly (readonly [sentence: string, target: string, ids: Ids])[] = [
  ["An array parameter is given by repeating the name", "/sites?id=12&id=20", [12, 20]],
  ["or with brackets", "/sites?id[]=12&id[]=20", [12, 20]],
  ["brackets may be percent-encoded", "/sites?id%5B%5D=12&id%5b%5d=20", [12, 20]],
  ["both forms may be mixed", "/sites?id=12&id[]=20", [12, 20]],
  ["several values match any of them", "/operations?status=PROCESSING&status=COMPLETED", [101, 102, 103, 104]],
  ["the same value twice is one", "/sites?id=12&id=12", [12]],
  ["an empty bracketed parameter selects null", `/datasets?operation_id[]=&${all}`, [1, 2, 5, 6]],
  ["with no equals sign either", `/datasets?operation_id[]&${all}`, [1, 2, 5, 6]],
  ["percent-encoded too", `/datasets?operation_id%5B%5D&${all}`, [1, 2, 5, 6]],
  ["It can be combined with values", `/datasets?operation_id[]=104&operation_id[]&${all}`, [1, 2, 5, 6, 7]],
  ["in any order and form", `/datasets?operation_id[]=&operation_id=104&${all}`, [1, 2, 5, 6, 7]],

  ["+field ascending (as %2B)", "/sites?_sortBy=%2Bname", [15, 12, 20]],
  ["ascending is the default", "/sites?_sortBy=name", [15, 12, 20]],
  ["-field descending", "/sites?_sortBy=-name", [20, 12, 15]],
  ["Repeat the parameter for tie-breaks", trenches("_sortBy=-updated_at&_sortBy=-id"), [4, 2, 1, 3]],
  ["a tie-break may go the other way", trenches("_sortBy=-updated_at&_sortBy=id"), [4, 1, 2, 3]],
  ["a sort without tie-break ends with the id", "/operations?_sortBy=site_id", [101, 102, 104, 103]],
  ["the brackets of an array are accepted", "/sites?_sortBy[]=-name", [20, 12, 15]],

  ["Default sort for sites, operations and blocks: not shown (here: id)", "/sites", [12, 15, 20]],
  ["operations: by id", "/operations", [101, 102, 103, 104]],
  ["blocks: by id", "/blocks?operation_id=101", [1, 2]],

  ["sites: filter by site ids", "/sites?id=15", [15]],
  ["operations: filter by operation ids", "/operations?id=102", [102]],
  ["operations: filter by site ids", "/operations?site_id=15", [103]],
  ["operations: one or more of the statuses", "/operations?status=PROCESSING", [102]],
  ["operations: filter by data product ids", "/operations?data_product_id=41", [101, 103]],
  ["operations: the most recent first", "/operations?status=COMPLETED&_sortBy=-date_captured", [103, 104, 101]],
  ["blocks: operation_id, at least one", "/blocks?operation_id=101&operation_id=103", [1, 2, 3]],

  ["datasets: default -id", "/datasets", [7, 6, 5, 4, 3, 2, 1]],
  ["datasets: ids", "/datasets?id=3&id=5", [5, 3]],
  ["datasets: site_id null selects company-level datasets", "/datasets?site_id[]", [1]],
  ["datasets: operation_id null selects datasets of sites and the company", "/datasets?operation_id[]", [6, 5, 2, 1]],
  ["datasets: storage types", "/datasets?type=dxf&type=tile-layer", [6, 4]],
  ["datasets: statuses", "/datasets?status=PROCESSING", [4]],
  ["datasets: semantic types", "/datasets?semantic_type=TRENCHES", [2]],
  ["datasets: semantic_type null selects untyped datasets", "/datasets?semantic_type[]", [6, 1]],
  ["One operation can hold several datasets", "/datasets?operation_id=101", [4, 3]],
  ["datasets: sortable by created_at", "/datasets?_sortBy=created_at", [1, 2, 3, 4, 5, 6, 7]],
  ["datasets: sortable by updated_at", "/datasets?_sortBy=updated_at", [6, 7, 5, 4, 3, 2, 1]],

  ["layerFeatures: by site", features(`site_id=15`), [7]],
  ["layerFeatures: by operation", features("operation_id=104"), [6]],
  ["operation_id null selects features without an operation", features(`operation_id[]&${all}`), [1, 2, 3, 4, 7]],
  ["layerFeatures: by dataset", features("dataset_id=3"), [5]],
  ["layerFeatures: by semantic type", features(`semantic_type=SOLAR_ANOMALIES&${all}`), [5, 6]],
  ["null is allowed for site_id", features("site_id[]"), []],
  ["null is allowed for semantic_type", features("semantic_type[]"), []],
  ["several filters are combined", features("site_id=12&semantic_type=SOLAR_ANOMALIES&operation_id=101"), [5]],
  ["Default: -updated_at then -id", park, [4, 2, 1, 3, 6, 5]],
  ["component layers have no operation_id", features("operation_id=101&semantic_type=TRENCHES"), []],
  ["listing layer features of a non-geojson-layer dataset returns no records", features("dataset_id=4"), []],
  ["nor do they come by operation", features("operation_id=101"), [5]],
  ["layerFeatures: sortable by id", trenches("_sortBy=-id"), [4, 3, 2, 1]],
  ["by visible_id", trenches("_sortBy=visible_id"), [3, 1, 2, 4]],
  ["by description", trenches("_sortBy=-description"), [4, 1, 2, 3]],
  ["by created_at", trenches("_sortBy=created_at"), [1, 2, 3, 4]],
  ["by updated_at", trenches("_sortBy=updated_at"), [3, 1, 2, 4]],
  ["by site", features("operation_id[]&_sortBy=-site"), [7, 1, 2, 3, 4]],
  ["by a built-in property key; what has none comes last", trenches("_sortBy=properties.STATUS"), [2, 1, 3, 4]],
  ["by a custom UUID when scoped to a single dataset_id", trenches(`_sortBy=properties.${depth}`), [2, 1, 3, 4]],
  ["over several sites, some without features", features("site_id=15&site_id=20&_sortBy=properties.STATUS"), [7]],

  ["propertyChanges: default +created_at then +id", changes(""), [uuid(2), uuid(3), uuid(4), uuid(1)]],
  ["propertyChanges: sortable by id", changes("_sortBy=%2Bid"), [uuid(1), uuid(2), uuid(3), uuid(4)]],
  ["propertyChanges: sortable by created_at", changes("_sortBy=-created_at"), [uuid(1), uuid(3), uuid(4), uuid(2)]],
  ["property_key only narrows within layer_feature_id", changes(`property_key=${depth}`), [uuid(2)]],
  ["a built-in key", changes("property_key=STATUS&_sortBy=id"), [uuid(1), uuid(3), uuid(4)]],
  ["a feature that does not exist yields no rows", "/propertyChanges?layer_feature_id=999", []],

  ["propertyDefinitions: default +display_order", "/propertyDefinitions?dataset_id=2", [depth, ...definitions(2)]],
  ["without dataset_id, definitions of all datasets", "/propertyDefinitions?_sortBy=id", definitions(1, 2, 3, 4)],
  ["propertyDefinitions: types", "/propertyDefinitions?type=FLOAT", [depth]],
  ["-display_order", "/propertyDefinitions?dataset_id=2&_sortBy=-display_order", [...definitions(2), depth]],
];

const scopes: readonly (readonly [sentence: string, key: string, target: string, ids: Ids])[] = [
  ["sites that the key cannot access are not returned", "park", "/sites", [12]],
  ["nor their operations", "park", "/operations", [101, 102, 104]],
  ["nor their blocks", "park", "/blocks?operation_id=101&operation_id=103", [1, 2]],
  ["nor their datasets, except of the company", "park", "/datasets", [7, 6, 4, 3, 2, 1]],
  ["nor their layer features", "park", features(`operation_id[]&${all}`), [1, 2, 3, 4]],
  ["nor their definitions, except of the company", "park", "/propertyDefinitions?_sortBy=id", definitions(1, 2, 3)],
  ["an inaccessible feature has no rows, without an error", "park", twoFeatures, [uuid(4)]],
  ["naming an inaccessible site yields no rows", "park", "/sites?id=15", []],
  ["naming an inaccessible dataset yields no rows", "park", features("dataset_id=5"), []],
  ["a key without sites sees the company level alone", "nothing", "/datasets", [1]],
];

const pages: readonly (readonly [sentence: string, target: string, pagination: readonly number[]])[] = [
  ["_page defaults to 1, _pageSize to 10 on datasets", "/datasets", [1, 10, 7, 1]],
  ["on propertyDefinitions", "/propertyDefinitions", [1, 10, 4, 1]],
  ["on propertyChanges", changes(""), [1, 10, 4, 1]],
  ["not shown for sites (here: 10)", "/sites", [1, 10, 3, 1]],
  ["not shown for operations (here: 10)", "/operations", [1, 10, 4, 1]],
  ["not shown for blocks (here: 10)", "/blocks?operation_id=103", [1, 10, 1, 1]],
  ["not shown for layerFeatures (here: 10)", park, [1, 10, 6, 1]],
  ["_pageSize is at most 10,000", "/datasets?_pageSize=10000", [1, 10000, 7, 1]],
  ["the last page may be short", "/datasets?_pageSize=3&_page=3", [3, 3, 7, 3]],
  ["a page beyond the last is empty and keeps the counts", "/datasets?_pageSize=3&_page=4", [4, 3, 7, 3]],
  ["however far beyond", "/datasets?_page=900719925474099", [900719925474099, 10, 7, 1]],
  ["no rows make no pages", "/sites?id=99", [1, 10, 0, 0]],
];

const stores = [
  ["memory", async () => new MemoryStore(company)],
  ["a snapshot", () => openSnapshotOf(company)],
] as const;

describe.each(stores)("served from %s", (_, open) => {
  let store: SnapshotStore;
  let service: Service;
  beforeAll(async () => {
    store = await open();
    service = await startTestService({ store });
  });
  afterAll(async () => {
    await service.close();
    await store.close();
  });

  describe("the rows of a query, and their order", () => {
    it.each(selections)("%s", async (_, target, expected) => {
      expect(await ids(service, target)).toEqual(expected);
    });
  });

  describe("the rows of a key", () => {
    it.each(scopes)("%s", async (_, key, target, expected) => {
      expect(await ids(service, target, key)).toEqual(expected);
    });

    it("pagination.rowCount counts only the rows that the caller may see", async () => {
      const limited = await send(service, twoFeatures, { headers: { Authorization: "ApiKey park" } });
      expect(json(limited).pagination).toMatchObject({ rowCount: 1, pageCount: 1 });
      expect(json(await send(service, twoFeatures)).pagination).toMatchObject({ rowCount: 2 });
    });
  });

  describe("the pagination object", () => {
    it.each(pages)("%s", async (_, target, [page, pageSize, rowCount, pageCount]) => {
      const received = await send(service, target);
      expect(json(received).pagination).toEqual({ page, pageSize, rowCount, pageCount });
    });

    it("successive pages hold every row once", async () => {
      const found = await Promise.all([1, 2, 3, 4].map((page) => ids(service, `/datasets?_pageSize=2&_page=${page}`)));
      expect(found).toEqual([[7, 6], [5, 4], [3, 2], [1]]);
      expect(await ids(service, "/datasets?_pageSize=2&_page=5")).toEqual([]);
    });
  });

  describe("the records", () => {
    it("have their stored attributes, without hidden attributes", async () => {
      const [dataset] = json(await send(service, "/datasets?id=5")).data;
      const names = ["id", "identifier", "site_id", "operation_id", "name", "status", "semantic_type"];
      expect(Object.keys(dataset ?? {})).toEqual([...names, "layout_definition"]);
    });

    it("have all of their characters", async () => {
      const [feature] = json(await send(service, trenches("_sortBy=-description"))).data;
      expect(feature).toMatchObject({ description: "Nordgraben ü", properties: {} });
    });
  });
});
