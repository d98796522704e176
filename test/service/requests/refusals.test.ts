import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Service } from "../../../src/service/start-service.js";
import { json, send } from "../client.js";
import { startTestService } from "../test-service.js";

let service: Service;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

const many = (name: string, count: number) => Array.from({ length: count }, (_, n) => `${name}=${n + 1}`).join("&");

/** All cases of 400 in the specification, and parts of the message: the parameter and the value. */
const badRequests: readonly (readonly [sentence: string, target: string, ...words: string[]])[] = [
  ["no filter on layerFeatures", "/layerFeatures?_page=1", "site_id", "operation_id", "dataset_id", "semantic_type"],
  ["_page is required on layerFeatures", "/layerFeatures?site_id=12", "_page"],
  ["operation_id missing on blocks", "/blocks", "operation_id"],
  ["operation_id invalid on blocks", "/blocks?operation_id=x", "operation_id", '"x"'],
  ["layer_feature_id missing", "/propertyChanges", "layer_feature_id"],
  ["property_key alone", "/propertyChanges?property_key=STATUS", "layer_feature_id"],
  ["more than 200 ids", `/propertyChanges?${many("layer_feature_id", 201)}`, "layer_feature_id", "201"],
  ["more than 200 ids with brackets", `/propertyChanges?${many("layer_feature_id[]", 201)}`, "layer_feature_id", "201"],
  ["more than 200 keys", `/propertyChanges?layer_feature_id=1&${many("property_key", 201)}`, "property_key", "201"],
  ["unsortable field on propertyChanges", "/propertyChanges?layer_feature_id=1&_sortBy=system", "_sortBy", '"system"'],
  ["unsupported parameter on propertyChanges", "/propertyChanges?layer_feature_id=1&dataset_id=2", '"dataset_id"'],
  ["unknown parameters elsewhere", "/sites?colour=red", '"colour"'],
  ["names of Object.prototype are unknown too", "/sites?__proto__=1", '"__proto__"'],
  ["indexed brackets are unknown", "/sites?id[0]=1", '"id[0]"'],
  ["page 0", "/sites?_page=0", "_page", '"0"'],
  ["a negative page", "/sites?_page=-1", "_page", '"-1"'],
  ["a fraction of a page", "/sites?_page=1.5", "_page", '"1.5"'],
  ["an empty page", "/sites?_page=", "_page", '""'],
  ["two pages", "/sites?_page=1&_page=2", "_page", '"2"'],
  ["a page in brackets", "/sites?_page[]=2", "_page", '"2"'],
  ["a page that no number holds", "/sites?_page=99999999999999999999", "_page", "99999999999999999999"],
  ["a page whose first row no number holds", "/sites?_page=9007199254740991", "_page", "9007199254740991"],
  ["page size 0", "/sites?_pageSize=0", "_pageSize", '"0"'],
  ["a page size beyond the maximum", "/datasets?_pageSize=10001", "_pageSize", "10000", "10001"],
  ["a page size beyond 10,000", "/layerFeatures?site_id=1&_page=1&_pageSize=10001", "_pageSize", "10001"],
  ["a string as an id", "/sites?id=twelve", "id", '"twelve"'],
  ["an exponent as an id", "/sites?id=1e3", "id", '"1e3"'],
  ["a list as an id", "/sites?id=1,2", "id", '"1,2"'],
  ["an id that no number holds", "/sites?id=9007199254740993", "id", "9007199254740993"],
  ["an empty id", "/sites?id=", "id"],
  ["null for a parameter that does not accept it", "/sites?id[]", "id", "null"],
  ["null for dataset_id", "/layerFeatures?_page=1&dataset_id[]=", "dataset_id", "null"],
  ["an empty value without brackets is not null", "/datasets?operation_id=", "operation_id[]="],
  ["an unknown status", "/operations?status=completed", "status", '"completed"', "COMPLETED"],
  ["an unsortable field", "/sites?_sortBy=coordinates", "_sortBy", '"coordinates"'],
  ["a property sort elsewhere", "/datasets?_sortBy=properties.STATUS", "_sortBy", '"properties.STATUS"'],
  ["a property sort without a key", "/layerFeatures?_page=1&site_id=1&_sortBy=properties.", "_sortBy", '"properties."'],
  ["an empty sort", "/sites?_sortBy=", "_sortBy", '""'],
  ["a + that decoded to a space", "/sites?_sortBy=+id", "_sortBy", '" id"', "%2B"],
  ["17 sort keys", `/sites?${"_sortBy=id&".repeat(17)}`, "_sortBy", "16", "17"],
  ["broken percent-encoding", "/sites?id=%E0%A4%A", "id=%E0%A4%A"],
  ["broken percent-encoding in a name", "/sites?%=1", "%=1"],
  ["a NUL", "/datasets?type=a%00b", "type=a%00b", "NUL"],
];

describe("400", () => {
  it.each(badRequests)("%s", async (_, target, ...words) => {
    const received = await send(service, target);
    expect(received.status).toBe(400);
    expect(json(received).error).toMatchObject({ status: 400, code: "invalid_query" });
    for (const word of words) expect(json(received).error.message).toContain(word);
  });

  it("200 ids are accepted, in the longest form", async () => {
    const id = (n: number) => `layer_feature_id%5B%5D=${9_007_199_254_740_000 + n}`;
    const key = (n: number) => `property_key%5B%5D=%61${String(n).padStart(35, "0")}`;
    const numbers = Array.from({ length: 200 }, (_, n) => n);
    const query = [...numbers.map(id), ...numbers.map(key)].join("&");
    expect((await send(service, `/propertyChanges?${query}`)).status).toBe(200);
  });
});

describe("401", () => {
  const credentials: readonly (readonly [string, string | undefined, number])[] = [
    ["the key", "ApiKey all", 200],
    ["the scheme word in any case", "APIKEY all", 200],
    ["another of several keys", "ApiKey park", 200],
    ["no header", undefined, 401],
    ["an empty header", "", 401],
    ["an unknown key", "ApiKey al", 401],
    ["a key in another case", "ApiKey ALL", 401],
    ["another scheme", "Bearer all", 401],
    ["no scheme", "all", 401],
    ["the scheme alone", "ApiKey", 401],
    ["two keys", "ApiKey all park", 401],
  ];

  it.each(credentials)("%s", async (_, authorization, status) => {
    const headers = authorization === undefined ? {} : { authorization };
    const answer = await fetch(`${service.url}/sites`, { headers });
    const body = await answer.text();
    expect(answer.status).toBe(status);
    if (status !== 401) return;
    expect(answer.headers.get("www-authenticate")).toBe('ApiKey realm="siteframe"');
    expect(JSON.parse(body)).toMatchObject({ error: { status: 401, code: "unauthorized" } });
  });

  it("never repeats the key that was sent", async () => {
    const received = await send(service, "/sites", { headers: { Authorization: "ApiKey s3cret" } });
    expect(received.body.toString()).not.toContain("s3cret");
  });
});

describe("404 and 405", () => {
  const unknown = ["/", "/site", "/sites/", "//sites", "/Sites", "/%73ites", "/sites/12", "/__proto__", "/%"];
  it.each([...unknown, "/layerfeatures"])("%s is not an endpoint", async (target) => {
    const received = await send(service, target);
    expect(received.status).toBe(404);
    expect(json(received).error).toMatchObject({ status: 404, code: "not_found" });
    expect(json(received).error.message).toContain("/layerFeatures");
  });

  it.each(["POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND"])("%s is not answered", async (method) => {
    const received = await send(service, "/sites", { method });
    expect(received.status).toBe(405);
    expect(received.headers.allow).toBe("GET, HEAD");
    expect(json(received).error).toMatchObject({ status: 405, code: "method_not_allowed" });
  });
});

describe("the order of checks", () => {
  const noKey = { headers: { Authorization: "" } };
  it.each([
    ["the path before the method and the key", "/nowhere", { method: "POST", ...noKey }, 404],
    ["the method before the key", "/sites", { method: "POST", ...noKey }, 405],
    ["the key before the query", "/sites?_page=0", noKey, 401],
    ["the query before the tag", "/sites?_page=0", { headers: { "If-None-Match": "*" } }, 400],
  ])("%s", async (_, target, init, status) => {
    expect((await send(service, target, init)).status).toBe(status);
  });
});
