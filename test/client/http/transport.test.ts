import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { inspect } from "node:util";
import { afterEach, describe, expect, it } from "vitest";
import type { RequestEvent } from "../../../src/client/ask/read-options.js";
import { resolveConnection } from "../../../src/client/http/connection.js";
import { liveReader } from "../../../src/client/live-reader.js";
import { ApiError, ArgumentError, AuthError, BadRequestError } from "../../../src/core/errors.js";
import { mockRecords } from "../mock-records.js";
import { KEY, type MockOptions, type MockService, mockService, refuse } from "../mock-service.js";

let service: MockService;
const start = async (options?: MockOptions) => {
  service = await mockService(options);
  return service;
};
afterEach(() => service.close());

const thrown = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  );

describe("the key", () => {
  it("travels in the Authorization header", async () => {
    const { reader, requests } = await start();
    await reader().all("sites", {});
    expect(requests[0]?.headers.authorization).toBe(`ApiKey ${KEY}`);
  });

  it.each([
    ["401 that repeats it", { fault: (_, response) => refuse(response, 401, `no such key: ${KEY}`) }],
    ["500 that repeats it", { fault: (_, response) => refuse(response, 500, `${KEY} is bad`) }],
    ["reset", { fault: (_, __, socket) => socket.resetAndDestroy() === socket }],
    ["redirect that repeats it", { fault: (_, r) => refuse(r, 302, "", { location: `http://elsewhere/?k=${KEY}` }) }],
    ["page that breaks the contract", { envelope: (page) => ({ ...page, pagination: KEY.length }) }],
  ] as [string, MockOptions][])("is in no error: %s", async (_, options) => {
    const { reader, rows } = await start(options);
    rows.set("sites", mockRecords("sites", 1));
    const events: RequestEvent[] = [];
    const live = reader({ retries: 1, onRequest: (event) => events.push(event) });
    const error = await thrown(live.all("sites", new Map()));
    expect(error).toBeInstanceOf(Error);
    const shown = [live, error, events].flatMap((value) => [
      inspect(value, { depth: 20, showHidden: true }),
      JSON.stringify(value, Object.getOwnPropertyNames(Object(value))),
      String(value),
    ]);
    for (let cause = error; cause instanceof Error; cause = cause.cause) shown.push(cause.message, String(cause.stack));
    expect(shown.filter((text) => text?.includes(KEY))).toEqual([]);
  });

  it("does not follow a redirect", async () => {
    const asked: unknown[] = [];
    const other = createServer((request, response) => {
      asked.push(request.headers);
      response.end("{}");
    });
    await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
    const location = `http://127.0.0.1:${(other.address() as AddressInfo).port}/sites`;
    const { reader } = await start({ fault: (_, response) => refuse(response, 307, "moved", { location }) });
    const error = await thrown(reader().all("sites", {}));
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ status: 307, hint: expect.stringContaining(new URL(location).origin) });
    expect(asked).toEqual([]);
    other.close();
  });
});

describe("a refusal", () => {
  it.each([
    [400, BadRequestError],
    [401, AuthError],
    [403, ApiError],
    [404, ApiError],
  ])("%i is not repeated", async (status, type) => {
    const { reader, requests } = await start({ fault: (_, response) => refuse(response, status, "the reason") });
    const error = await thrown(reader().all("datasets", {}));
    expect(error).toBeInstanceOf(type);
    expect(error).toMatchObject({ status, method: "GET", message: expect.stringContaining(`${status}: the reason`) });
    expect(requests).toHaveLength(1);
  });
});

describe("abort", () => {
  const reason = new Error("enough");
  const hang: MockOptions = { fault: () => true };

  it("before: nothing is sent", async () => {
    const { reader, requests } = await start();
    expect(await thrown(reader().all("sites", {}, { signal: AbortSignal.abort(reason) }))).toBe(reason);
    expect(requests).toEqual([]);
  });

  it.each(["all", "records", "pages"] as const)("stops %s while a request hangs", async (view) => {
    const { reader } = await start(hang);
    const controller = new AbortController();
    setTimeout(() => controller.abort(reason), 30);
    const options = { signal: controller.signal };
    const read = async () => {
      if (view === "all") await reader().all("sites", {}, options);
      else for await (const _ of reader()[view]("sites", {}, options)) expect.unreachable();
    };
    expect(await thrown(read())).toBe(reason);
  });

  it("stops a wait between attempts", async () => {
    await start({ fault: (_, response) => refuse(response, 500) });
    const controller = new AbortController();
    const live = liveReader({ baseUrl: service.baseUrl, apiKey: KEY, signal: controller.signal });
    setTimeout(() => controller.abort(reason), 30);
    expect(await thrown(live.all("sites", new Map()))).toBe(reason);
    await live.close();
  });

  it("stops between the rows of a stream", async () => {
    const { reader, rows } = await start();
    rows.set("datasets", mockRecords("datasets", 100));
    const controller = new AbortController();
    const read = async () => {
      for await (const _ of reader({ pageSize: 10 }).records("datasets", {}, { signal: controller.signal })) {
        controller.abort(reason);
      }
    };
    expect(await thrown(read())).toBe(reason);
  });
});

describe("adaptive concurrency", () => {
  it("halves when throttled and reads everything nonetheless", async () => {
    let active = 0;
    let most = 0;
    const seen: number[] = [];
    const { reader, rows } = await start({
      async fault(_, response) {
        active += 1;
        seen.push(active);
        most = Math.max(most, active);
        const busy = active > 3;
        await new Promise((resolve) => setTimeout(resolve, 2));
        active -= 1;
        return busy && refuse(response, 429, "busy");
      },
    });
    rows.set("datasets", mockRecords("datasets", 400));
    const result = await reader({ pageSize: 10, concurrency: 8, retries: 20 }).all("datasets", {});
    expect(result.rows).toEqual(rows.get("datasets"));
    expect(most).toBeLessThanOrEqual(8);
    expect(seen.slice(-10).every((count) => count <= 6)).toBe(true);
  });

  it("never has more requests under way than the option allows", async () => {
    let active = 0;
    let most = 0;
    const { reader, rows } = await start({
      async fault() {
        active += 1;
        most = Math.max(most, active);
        await new Promise((resolve) => setTimeout(resolve, 2));
        active -= 1;
        return false;
      },
    });
    rows.set("datasets", mockRecords("datasets", 200));
    await reader({ pageSize: 10, concurrency: 3 }).all("datasets", {});
    expect(most).toBe(3);
  });
});

describe("resolveConnection", () => {
  const apiKey = "k";

  it.each([
    [{ apiKey }, "SITEFRAME_BASE_URL"],
    [{ apiKey, baseUrl: "not a url" }, "SITEFRAME_BASE_URL"],
    [{ apiKey, baseUrl: "ftp://host" }, "SITEFRAME_BASE_URL"],
    [{ apiKey, baseUrl: "https://me:hush@host" }, "SITEFRAME_API_KEY"],
    [{ apiKey, baseUrl: "https://host/?key=1" }, "SITEFRAME_BASE_URL"],
    [{ baseUrl: "https://host" }, "SITEFRAME_API_KEY"],
    [{ baseUrl: "https://host", apiKey: "two\nlines" }, "SITEFRAME_API_KEY"],
  ])("refuses %j and names the variable to set", async (options, variable) => {
    await start();
    expect(() => resolveConnection(options)).toThrow(ArgumentError);
    try {
      resolveConnection(options);
    } catch (error) {
      expect(error).toMatchObject({ hint: expect.stringContaining(variable) });
      expect(String(error)).not.toContain("hush");
    }
  });

  it("keeps a path prefix, with or without a slash at the end", async () => {
    const { baseUrl, requests } = await start({ prefix: "/api/v1" });
    const live = liveReader({ baseUrl: `${baseUrl}/`, apiKey });
    await live.all("sites", new Map());
    await live.close();
    expect(requests[0]?.url).toMatch(/^\/api\/v1\/sites\?/);
    expect(live.origin).toEqual({ kind: "live", name: baseUrl });
  });
});
