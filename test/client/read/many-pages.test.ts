import { getEventListeners } from "node:events";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { ResourceName } from "../../../src/api/resources.js";
import { AdaptiveLimiter, type Slot } from "../../../src/client/http/adaptive-limiter.js";
import { liveReader } from "../../../src/client/live-reader.js";
import { DriftError } from "../../../src/core/errors.js";
import { type FakeRequest, type FakeTransport, fakeTransport } from "../fake-transport.js";
import { anyParams, mockRecord } from "../mock-records.js";
import { type ResolvingReader, resolving } from "../resolving.js";

const CONCURRENCY = 4;
const PAGE = 10;
const reason = new Error("enough");

/** Requested pages without a response, sent or queued. */
let pending = 0;
let mostPending = 0;

beforeEach(() => {
  pending = 0;
  mostPending = 0;
  const acquire = AdaptiveLimiter.prototype.acquire;
  vi.spyOn(AdaptiveLimiter.prototype, "acquire").mockImplementation(async function (this: AdaptiveLimiter, ...args) {
    pending += 1;
    mostPending = Math.max(mostPending, pending);
    const slot = await Promise.resolve(acquire.apply(this, args)).finally(() => {
      pending -= 1;
    });
    pending += 1;
    const release: Slot["release"] = (result) => {
      pending -= 1;
      slot.release(result);
    };
    return { release };
  });
});
afterEach(() => vi.restoreAllMocks());

function pagination({ page, pageSize }: FakeRequest, rowCount: number) {
  const size = Math.min(pageSize, PAGE);
  return { page, pageSize: size, rowCount, pageCount: Math.ceil(rowCount / size) };
}

/** Rows up to a promised count: each id is three times its rank. */
function rowsOf(resource: ResourceName, rowCount: number, isReversed = false) {
  return (request: FakeRequest) => {
    const terms = pagination(request, rowCount);
    const from = (request.page - 1) * terms.pageSize;
    const count = Math.max(0, Math.min(terms.pageSize, rowCount - from));
    const rank = (index: number) => (isReversed ? rowCount - from - index : from + index + 1);
    return {
      data: Array.from({ length: count }, (_, index) => mockRecord(resource, 3 * rank(index))),
      pagination: terms,
    };
  };
}

const readers: ResolvingReader[] = [];
afterEach(() => Promise.all(readers.splice(0).map((reader) => reader.close())));

function readerOf({ dispatcher }: FakeTransport): ResolvingReader {
  const reader = resolving(
    liveReader({
      baseUrl: "http://fake",
      apiKey: "a-key-for-tests",
      dispatcher,
      concurrency: CONCURRENCY,
      retries: 0,
    }),
  );
  readers.push(reader);
  return reader;
}

async function drain(rows: AsyncIterable<unknown>): Promise<number> {
  let count = 0;
  for await (const _ of rows) count += 1;
  return count;
}

type View = "all" | "records" | "pages";

async function read<R extends ResourceName>(reader: ResolvingReader, view: View, resource: R, signal?: AbortSignal) {
  const params = anyParams[resource] as never;
  if (view === "all") return (await reader.all(resource, params, { signal })).rows.length;
  return drain(reader[view](resource, params, { signal }));
}

const views: readonly View[] = ["all", "records", "pages"];

describe.each(views)("%s of a service that promises too many rows", (view) => {
  it.each([
    ["datasets", 1e7, false],
    ["datasets", 1e13, false],
    ["datasets", Number.MAX_SAFE_INTEGER, false],
    ["sites", 1e7, true],
    ["sites", 1e13, true],
  ] as const)("plans while reading, and stops at once: %s, %d rows", async (resource, rowCount, isReversed) => {
    const stop = new AbortController();
    let listeners = 0;
    const rows = rowsOf(resource, rowCount, isReversed);
    const transport = fakeTransport((request) => {
      listeners = Math.max(listeners, getEventListeners(stop.signal, "abort").length);
      if (request.number === 300) stop.abort(reason);
      return rows(request);
    });
    await expect(read(readerOf(transport), view, resource, stop.signal)).rejects.toBe(reason);
    expect(transport.requests).toBeLessThanOrEqual(300 + CONCURRENCY);
    expect(mostPending).toBeLessThanOrEqual(2 * CONCURRENCY);
    expect(listeners).toBeLessThanOrEqual(4);
    expect(getEventListeners(stop.signal, "abort")).toEqual([]);
  });
});

describe("many small pages", () => {
  it("are complete, with a short queue", async () => {
    const transport = fakeTransport(rowsOf("datasets", 30_000));
    const { rows } = await readerOf(transport).all("datasets", {});
    expect(rows.map(({ id }) => id)).toEqual(Array.from({ length: 30_000 }, (_, index) => 3 * (index + 1)));
    expect(mostPending).toBeLessThanOrEqual(2 * CONCURRENCY);
  });

  it("of many requests have a short queue", async () => {
    const transport = fakeTransport(rowsOf("layerFeatures", 500));
    const dataset_id = Array.from({ length: 8000 }, (_, index) => index);
    const { rows } = await readerOf(transport).all("layerFeatures", { dataset_id });
    expect(rows).toHaveLength(500);
    expect(transport.requests).toBeGreaterThan(10 * 80);
    expect(mostPending).toBeLessThanOrEqual(4 * CONCURRENCY);
  });

  it("are no longer requested after a failure", async () => {
    const rows = rowsOf("datasets", 1e7);
    const transport = fakeTransport((request) => (request.number === 200 ? "no page" : rows(request)));
    await expect(readerOf(transport).all("datasets", {})).rejects.toMatchObject({ path: "$.data" });
    expect(transport.requests).toBeLessThanOrEqual(200 + 2 * CONCURRENCY);
  });
});

describe("a service that promises rows and sends none", () => {
  const nothing = (request: FakeRequest) => ({ data: [], pagination: pagination(request, 1e13) });
  const always = (resource: ResourceName, isReversed: boolean) => (request: FakeRequest) => ({
    ...rowsOf(resource, PAGE, isReversed)({ ...request, page: 1 }),
    pagination: pagination(request, 1e13),
  });

  it.each([
    ["empty pages", "datasets", nothing],
    ["the same page", "datasets", always("datasets", false)],
    ["the same page", "sites", always("sites", true)],
  ] as const)("ends with a DriftError: %s of %s", async (_, resource, answer) => {
    const transport = fakeTransport(answer);
    await expect(read(readerOf(transport), "records", resource)).rejects.toBeInstanceOf(DriftError);
    expect(transport.requests).toBeLessThan(50_000);
  });

  it("ends with a DriftError for a wrong page size", async () => {
    const transport = fakeTransport((request) => ({
      ...rowsOf("datasets", 20)(request),
      pagination: { page: request.page, pageSize: 1e15, rowCount: 1e7, pageCount: 3 },
    }));
    await expect(read(readerOf(transport), "records", "datasets")).rejects.toBeInstanceOf(DriftError);
  });
});
