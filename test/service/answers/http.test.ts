import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { negotiateCoding } from "../../../src/service/answers/page-handler.js";
import type { Service } from "../../../src/service/start-service.js";
import { json, send } from "../client.js";
import { startTestService } from "../test-service.js";

let service: Service;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

const target = "/layerFeatures?site_id=12&_page=1";
const withHeaders = (headers: Record<string, string>) => send(service, target, { headers });

describe("headers of a page", () => {
  it("describe its type and caching", async () => {
    const { headers, body } = await withHeaders({});
    expect(headers).toMatchObject({
      "content-type": "application/json; charset=utf-8",
      "content-length": String(body.byteLength),
      "cache-control": "private, no-cache",
      vary: "Accept-Encoding",
    });
    expect(Number.isNaN(Date.parse(headers.date ?? ""))).toBe(false);
    expect(headers["content-encoding"]).toBeUndefined();
  });

  it("are the same for HEAD, without a body", async () => {
    for (const headers of [{}, { "Accept-Encoding": "gzip" }]) {
      const got = await send(service, target, { headers });
      const head = await send(service, target, { method: "HEAD", headers });
      expect(head.status).toBe(200);
      expect(head.body.byteLength).toBe(0);
      expect({ ...head.headers, date: "" }).toEqual({ ...got.headers, date: "" });
    }
  });

  it("have the same status for HEAD if the query is invalid", async () => {
    const refused = await send(service, "/sites?_page=0", { method: "HEAD" });
    expect(refused.status).toBe(400);
    expect(refused.body.byteLength).toBe(0);
  });

  it("forbid caching of errors", async () => {
    const { headers } = await send(service, "/nowhere");
    expect(headers).toMatchObject({ "content-type": "application/json; charset=utf-8", "cache-control": "no-store" });
  });
});

describe("compression", () => {
  it.each([
    ["gzip", gunzipSync],
    ["br", brotliDecompressSync],
  ])("%s", async (coding, decompress) => {
    const plain = await withHeaders({});
    const compressed = await withHeaders({ "Accept-Encoding": coding });
    expect(compressed.headers["content-encoding"]).toBe(coding);
    expect(Number(compressed.headers["content-length"])).toBe(compressed.body.byteLength);
    expect(compressed.body.byteLength).toBeLessThan(plain.body.byteLength / 2);
    expect(decompress(compressed.body)).toEqual(plain.body);
  });

  it("is not applied to small bodies", async () => {
    const { headers } = await send(service, "/blocks?operation_id=999", { headers: { "Accept-Encoding": "gzip" } });
    expect(headers["content-encoding"]).toBeUndefined();
    expect(headers.vary).toBe("Accept-Encoding");
  });

  it.each([
    [undefined, "identity"],
    ["", "identity"],
    ["gzip", "gzip"],
    ["x-gzip", "gzip"],
    ["GZIP", "gzip"],
    ["br, gzip", "br"],
    ["gzip, deflate, br, zstd", "br"],
    ["gzip;q=1.0, br;q=0.5", "gzip"],
    ["gzip; q=0.2 , br;q=0.5", "br"],
    ["br;q=0, gzip;q=0.001", "gzip"],
    ["identity, gzip;q=0.5", "identity"],
    ["identity;q=0.5, gzip;q=0.8", "gzip"],
    ["*", "br"],
    ["*;q=0.5, gzip", "gzip"],
    ["*, br;q=0", "gzip"],
    ["gzip;q=0", "identity"],
    ["*;q=0", "identity"],
    ["identity;q=0, *;q=0", "identity"],
    ["zstd", "identity"],
    ["gzip;q=2", "identity"],
    ["gzip;q=x", "identity"],
    [",;,gzip;;q=1", "gzip"],
  ])("Accept-Encoding: %s → %s", (header, coding) => {
    expect(negotiateCoding(header)).toBe(coding);
  });
});

describe("entity tags", () => {
  const tagOf = async (path: string, headers: Record<string, string> = {}) =>
    (await send(service, path, { headers })).headers.etag ?? "";

  it("stay the same with the page", async () => {
    const tag = await tagOf(target);
    expect(tag).toMatch(/^"[\w-]+"$/);
    expect(await tagOf(target)).toBe(tag);
    expect(await tagOf("/layerFeatures?_page=1&site_id[]=12&_pageSize=10")).toBe(tag);
  });

  it("differ by page, order, coding, key and version", async () => {
    const next = await startTestService({
      store: { version: "2", page: async () => ({ data: Buffer.from("[]"), rowCount: 0 }) },
    });
    const tags = [
      await tagOf(target),
      await tagOf(`${target}&_pageSize=2`),
      await tagOf(`${target}&_sortBy=id`),
      await tagOf(target, { "Accept-Encoding": "gzip" }),
      await tagOf(target, { "Accept-Encoding": "br" }),
      await tagOf(target, { Authorization: "ApiKey park" }),
      await tagOf(target, { Authorization: "ApiKey nothing" }),
      (await send(next, target)).headers.etag,
    ];
    await next.close();
    expect(new Set(tags).size).toBe(tags.length);
  });

  it.each([
    ["the tag", (tag: string) => tag, 304],
    ["the tag as a weak one", (tag: string) => `W/${tag}`, 304],
    ["a list with the tag", (tag: string) => `"a,b", W/"c" ,${tag}`, 304],
    ["anything", () => "*", 304],
    ["another tag", () => '"other"', 200],
    ["the tag without quotes", (tag: string) => tag.replaceAll('"', ""), 200],
    ["nonsense", () => '"', 200],
    ["nothing", () => "", 200],
  ])("If-None-Match with %s", async (_, header, status) => {
    const tag = await tagOf(target);
    const received = await withHeaders({ "If-None-Match": header(tag) });
    expect(received.status).toBe(status);
    expect(received.headers).toMatchObject({
      etag: tag,
      "cache-control": "private, no-cache",
      vary: "Accept-Encoding",
    });
    if (status === 304) expect(received.body.byteLength).toBe(0);
  });

  it("of another key's page do not match", async () => {
    const tag = await tagOf("/sites");
    const headers = { Authorization: "ApiKey park", "If-None-Match": tag };
    expect(json(await send(service, "/sites", { headers })).data).toHaveLength(1);
  });
});
