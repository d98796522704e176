import { gunzipSync } from "node:zlib";
import { afterEach, describe, expect, it } from "vitest";
import { SiteframeError } from "../../../src/core/errors.js";
import { type FaultCondition, type FaultRule, type Faults, parseFaults } from "../../../src/service/faults/faults.js";
import type { Service } from "../../../src/service/start-service.js";
import { feature } from "../../support/records.js";
import { ids, json, send } from "../client.js";
import { startTestService } from "../test-service.js";

let service: Service | undefined;
afterEach(() => service?.close());

async function serve(faults: Faults): Promise<Service> {
  service = await startTestService({ faults });
  return service;
}

const target = "/layerFeatures?site_id=12&_page=1";

/** Statuses of requests that are sent one after the other. */
async function statuses(to: Service, targets: readonly string[]): Promise<readonly number[]> {
  const found: number[] = [];
  for (const target of targets) found.push((await send(to, target)).status);
  return found;
}

const times = (count: number) => Array.from({ length: count }, () => target);

describe("a rule applies to", () => {
  const fault = { fault: "status", status: 503 } as const;
  it.each<readonly [string, FaultCondition, readonly number[]]>([
    ["all", {}, [503, 503, 503, 503]],
    ["the first two", { first: 2 }, [503, 503, 200, 200]],
    ["none", { first: 0 }, [200, 200, 200, 200]],
    ["every second", { every: 2 }, [200, 503, 200, 503]],
    ["every second of the first three", { every: 2, first: 3 }, [200, 503, 200, 200]],
    ["another path", { path: "/sites" }, [200, 200, 200, 200]],
    ["this path", { path: "/layerFeatures" }, [503, 503, 503, 503]],
    ["never", { probability: 0 }, [200, 200, 200, 200]],
  ])("%s", async (_, condition, expected) => {
    expect(await statuses(await serve({ rules: [{ ...fault, ...condition }] }), times(4))).toEqual(expected);
  });

  it("requests are counted by path", async () => {
    const to = await serve({ rules: [{ ...fault, path: "/sites", every: 2 }] });
    expect(await statuses(to, ["/sites", target, "/sites", target, "/sites"])).toEqual([200, 200, 503, 200, 200]);
  });

  it("by chance, the same for the same seed", async () => {
    const run = async (seed: number) => {
      const to = await serve({ seed, rules: [{ ...fault, probability: 0.5 }] });
      const found = await statuses(to, times(40));
      await to.close();
      return found;
    };
    const first = await run(1);
    expect(await run(1)).toEqual(first);
    expect(await run(2)).not.toEqual(first);
    expect(Math.abs(first.filter((status) => status === 503).length - 20)).toBeLessThan(10);
  });
});

describe("a fault", () => {
  it.each([429, 500, 503])("status %i", async (status) => {
    const received = await send(await serve({ rules: [{ fault: "status", status }] }), target);
    expect(received.status).toBe(status);
    expect(received.headers["retry-after"]).toBeUndefined();
    expect(json(received).error).toMatchObject({ status, code: "fault" });
  });

  it("Retry-After in seconds", async () => {
    const received = await send(await serve({ rules: [{ fault: "status", status: 429, retryAfterS: 2 }] }), target);
    expect(received.headers["retry-after"]).toBe("2");
  });

  it("Retry-After as a date", async () => {
    const rule: FaultRule = { fault: "status", status: 429, retryAfterS: 3600, retryAfterAs: "date" };
    const received = await send(await serve({ rules: [rule] }), target);
    const header = received.headers["retry-after"] ?? "";
    expect(new Date(header).toUTCString()).toBe(header);
    const waitMs = Date.parse(header) - Date.parse(received.headers.date ?? "");
    expect(Math.abs(waitMs - 3_600_000)).toBeLessThanOrEqual(2000);
  });

  it("latency and jitter", async () => {
    const to = await serve({ rules: [{ fault: "delay", latencyMs: 60, jitterMs: 20 }] });
    const started = performance.now();
    expect((await send(to, target)).status).toBe(200);
    expect(performance.now() - started).toBeGreaterThan(55);
  });

  it.each(["before-headers", "after-headers"] as const)("a reset %s", async (at) => {
    const to = await serve({ rules: [{ fault: "reset", at, first: 1 }] });
    await expect(send(to, target)).rejects.toThrow(/hang up|aborted|ECONNRESET/);
    expect((await send(to, target)).status).toBe(200);
  });

  it("after-headers lets the headers through", async () => {
    const to = await serve({ rules: [{ fault: "reset", at: "after-headers" }] });
    const answer = await fetch(to.url + target, { headers: { authorization: "ApiKey all" } });
    expect(answer.status).toBe(200);
    await expect(answer.text()).rejects.toThrow();
  });

  it.each(["identity", "gzip"])("a truncated body (%s)", async (coding) => {
    const to = await serve({ rules: [{ fault: "truncate", end: "abrupt" }] });
    const headers = { authorization: "ApiKey all", "accept-encoding": coding };
    const answer = await fetch(to.url + target, { headers });
    expect(answer.status).toBe(200);
    await expect(answer.text()).rejects.toThrow();
  });

  it("a truncated body that claims to be whole", async () => {
    const to = await serve({ rules: [{ fault: "truncate", end: "clean" }] });
    const plain = await send(to, target);
    expect(plain.body.toString()).toMatch(/^\{"data":\[/);
    expect(() => json(plain)).toThrow(SyntaxError);
    const compressed = await send(to, target, { headers: { "Accept-Encoding": "gzip" } });
    expect(() => gunzipSync(compressed.body)).toThrow();
  });

  it.each(["identity", "gzip", "br"])("a garbled body (%s)", async (coding) => {
    const to = await serve({ rules: [{ fault: "garble" }] });
    const headers = { authorization: "ApiKey all", "accept-encoding": coding };
    await expect(fetch(to.url + target, { headers }).then((answer) => answer.json())).rejects.toThrow();
  });

  it("stale counts, with another tag", async () => {
    const to = await serve({ rules: [{ fault: "counts", by: 15, first: 1 }] });
    const [stale, right] = [await send(to, target), await send(to, target)];
    expect(json(stale).pagination).toMatchObject({ rowCount: 21, pageCount: 3 });
    expect(json(right).pagination).toMatchObject({ rowCount: 6, pageCount: 1 });
    expect(stale.headers.etag).not.toBe(right.headers.etag);
  });

  it("several at once", async () => {
    const truncate = { fault: "truncate", end: "clean" } as const;
    const to = await serve({ rules: [{ fault: "counts", by: -6 }, truncate] });
    expect((await send(to, target)).body.toString()).not.toContain("pagination");
  });

  it("leaves refusals unchanged", async () => {
    const to = await serve({ rules: [{ fault: "garble" }, { fault: "counts", by: 1 }] });
    expect(await statuses(to, ["/nowhere", "/sites?_page=0"])).toEqual([404, 400]);
  });
});

describe("rows edited while they are paged", () => {
  const page = (number: number, more = "") => `/layerFeatures?site_id=12&_sortBy=id&_pageSize=2&_page=${number}${more}`;

  it("a removed row makes the next page skip one", async () => {
    const to = await serve({ edits: [{ resource: "layerFeatures", afterPages: 1, remove: [1] }] });
    expect(await ids(to, page(1))).toEqual([1, 2]);
    expect(await ids(to, page(2))).toEqual([4, 5]);
    expect(json(await send(to, page(3))).pagination).toMatchObject({ rowCount: 5, pageCount: 3 });
  });

  it("an inserted row makes the next page repeat one", async () => {
    const put = [{ ...feature(0) }];
    const to = await serve({ edits: [{ resource: "layerFeatures", afterPages: 1, put }] });
    expect(await ids(to, page(1))).toEqual([1, 2]);
    expect(await ids(to, page(2))).toEqual([2, 3]);
  });

  it("an edited row moves in the order of its edit", async () => {
    const put = [{ ...feature(5, { updated_at: "2025-01-01T00:00:00Z", operation_id: 101 }) }];
    const to = await serve({ edits: [{ resource: "layerFeatures", afterPages: 1, put }] });
    expect(await ids(to, target)).toEqual([4, 2, 1, 3, 6, 5]);
    expect(await ids(to, target)).toEqual([5, 4, 2, 1, 3, 6]);
    expect(json(await send(to, target)).data[0]).toEqual(put[0]);
  });

  it("edits add up, and a row that leaves the filter is gone", async () => {
    const edits = [
      { resource: "layerFeatures", afterPages: 1, put: [{ ...feature(1, { site_id: 15 }) }] },
      { resource: "layerFeatures", afterPages: 2, remove: [2] },
    ] as const;
    const to = await serve({ edits });
    expect(await ids(to, page(1))).toEqual([1, 2]);
    expect(await ids(to, page(1))).toEqual([2, 3]);
    expect(await ids(to, page(1))).toEqual([3, 4]);
  });

  it("other resources are unchanged and not counted", async () => {
    const to = await serve({ edits: [{ resource: "layerFeatures", afterPages: 1, remove: [1] }] });
    expect(await ids(to, "/sites")).toEqual([12, 15, 20]);
    expect(await ids(to, page(1))).toEqual([1, 2]);
  });

  it("a key sees only new rows on its sites", async () => {
    const put = [{ ...feature(50, { site_id: 15 }) }, { ...feature(51) }];
    const to = await serve({ edits: [{ resource: "layerFeatures", afterPages: 0, put }] });
    const both = "/layerFeatures?site_id=12&site_id=15&_sortBy=-id&_pageSize=2&_page=1";
    expect(await ids(to, both)).toEqual([51, 50]);
    expect(await ids(to, both, "park")).toEqual([51, 6]);
  });

  it("the tag changes with the rows", async () => {
    const to = await serve({ edits: [{ resource: "layerFeatures", afterPages: 1, remove: [99] }] });
    const tag = (await send(to, target)).headers.etag ?? "";
    expect((await send(to, target, { headers: { "If-None-Match": tag } })).status).toBe(200);
  });
});

describe("a faults file", () => {
  it("is parsed without changes", () => {
    const faults: Faults = {
      seed: 7,
      rules: [
        { fault: "delay", latencyMs: 5, jitterMs: 1.5, probability: 0.1 },
        { fault: "status", status: 429, retryAfterS: 1, retryAfterAs: "date", path: "/sites", first: 2, every: 3 },
        { fault: "reset", at: "before-headers" },
        { fault: "truncate", end: "clean" },
        { fault: "garble" },
        { fault: "counts", by: -2 },
      ],
      edits: [{ resource: "sites", afterPages: 1, put: [{ id: 1 }], remove: [2, "x"] }],
    };
    expect(parseFaults(JSON.stringify(faults))).toEqual(faults);
    expect(parseFaults("{}")).toEqual({});
  });

  it.each([
    ["{", "not JSON"],
    ["[]", "faults: options must be an object, but got []"],
    ['{"rule":[]}', 'faults has no option "rule"'],
    ['{"seed":"x"}', 'faults: seed must be an integer of at least 0, but got "x"'],
    ['{"rules":{}}', "faults: rules must be an array"],
    ['{"rules":[null]}', "faults.rules[0]: options must be an object, but got null"],
    [
      '{"rules":[{"fault":"garble"},{"fault":"delay"}]}',
      "faults.rules[1] needs the option latencyMs: a number of at least 0",
    ],
    ['{"edits":[{"resource":"sites"}]}', "faults.edits[0] needs the option afterPages: an integer of at least 0"],
  ])("%s is refused", (text, message) => {
    expect(() => parseFaults(text)).toThrow(SiteframeError);
    expect(() => parseFaults(text)).toThrow(message);
  });

  it.each([
    ["{}", ' needs the option fault: "delay" or "status" or'],
    ['{"latencyMs":1,"fault":"toString"}', ': fault must be "delay" or'],
    ['{"fault":"delay","latencyMs":-1}', ": latencyMs must be a number of at least 0, but got -1"],
    ['{"fault":"garble","status":500}', ' has no option "status"'],
    ['{"fault":"status","status":200}', ": status must be an integer from 400 to 599, but got 200"],
    ['{"fault":"garble","probability":2}', ": probability must be a number from 0 to 1, but got 2"],
    ['{"fault":"garble","every":0}', ": every must be an integer of at least 1, but got 0"],
    ['{"fault":"garble","path":"/nowhere"}', ': path must be "/sites" or'],
    ['{"fault":"truncate","end":"soon"}', ': end must be "abrupt" or "clean", but got "soon"'],
  ])("the rule %s is refused", (rule, message) => {
    expect(() => parseFaults(`{"rules":[${rule}]}`)).toThrow(`faults.rules[0]${message}`);
  });

  it.each([
    ['{"resource":"trees","afterPages":1}', ': resource must be "sites" or'],
    ['{"resource":"sites","afterPages":1,"put":[{}]}', ": put must be an array of records with ids"],
  ])("the edit %s is refused", (edit, message) => {
    expect(() => parseFaults(`{"edits":[${edit}]}`)).toThrow(`faults.edits[0]${message}`);
  });

  it("is also checked as an option", async () => {
    const faults = { rules: [{ fault: "explode" }] } as unknown as Faults;
    await expect(startTestService({ faults })).rejects.toThrow('"explode"');
  });
});
