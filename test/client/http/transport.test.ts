import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { resolveConnection } from "../../../src/client/http/connection.js";
import { decodeRecords, liveReader } from "../../../src/client/live-reader.js";
import type { RequestEvent } from "../../../src/client/read-options.js";
import type { Diagnostic } from "../../../src/core/diagnostic.js";
import { ApiError, ArgumentError, AuthError, BadRequestError, SiteframeError } from "../../../src/core/errors.js";
import { mockRecords } from "../mock-records.js";
import { KEY, type MockOptions, mockServices, refuse } from "../mock-service.js";

const mock = mockServices();

const thrown = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  );

describe("an error response", () => {
  it.each([
    ['{"data":[{"contact_name":"Petra Muster"}]}', ""],
    ['[{"contact_name":"Petra Muster"}', ""],
    ['{"error":{"message":"no such site","contact":"Petra Muster"}}', '{"error":{"message":"no such site"}}'],
    ["<h1>502 Bad Gateway</h1>", "<h1>502 Bad Gateway</h1>"],
  ])("does not keep records of its body: %s", async (body, kept) => {
    const { reader } = await mock.start({ fault: (_, response) => response.writeHead(500).end(body) === response });
    const error = await thrown(reader({ retries: 0 }).all("sites", {}));
    expect(error).toMatchObject({ body: kept });
    expect(inspect(error, { depth: 20 })).not.toContain("Petra");
  });
});

describe("the key", () => {
  it("is sent in the Authorization header", async () => {
    const { reader, requests } = await mock.start();
    await reader().all("sites", {});
    expect(requests[0]?.headers.authorization).toBe(`ApiKey ${KEY}`);
  });

  const quote = (text: string): Readonly<Record<string, MockOptions>> => ({
    "a field of another type": {
      envelope: (page) => ({ ...page, data: [{ ...mockRecords("sites", 1)[0], geo_area: text }] }),
    },
    "a field's value": { envelope: (page) => ({ ...page, data: [{ ...mockRecords("sites", 1)[0], stage: text }] }) },
    "a value that is cut": {
      envelope: (page) => ({ ...page, data: [{ ...mockRecords("sites", 1)[0], stage: `${"x".repeat(60)} ${text}` }] }),
    },
    "an id": { envelope: (page) => ({ ...page, data: [{ id: text }] }) },
    "the rows": { envelope: () => ({ data: { [text]: text } }) },
    "the pagination": { envelope: ({ data, pagination }) => ({ data, pagination: { ...pagination, rowCount: text } }) },
    "the message of a refusal": { fault: (_, response) => refuse(response, 403, `no such key: ${text}`) },
    "a refusal that is cut": { fault: (_, response) => refuse(response, 403, `${"x".repeat(490)} ${text}`) },
    "a failure": { fault: (_, response) => refuse(response, 500, text) },
    "the coding": {
      fault: (_, response) =>
        response.writeHead(200, { "content-encoding": text.replace(/[^\x21-\x7e]/g, "") }).end("{}") === response,
    },
    "nothing before a reset": { fault: (_, __, socket) => socket.resetAndDestroy() === socket },
    "a redirect": {
      fault: (_, response) =>
        refuse(response, 302, "", {
          location: `http://${encodeURIComponent(text)}.elsewhere/?k=${encodeURIComponent(text)}`,
        }),
    },
  });
  const forms: Readonly<Record<string, string>> = {
    raw: KEY,
    header: `ApiKey ${KEY}`,
    base64: Buffer.from(`ApiKey ${KEY}`).toString("base64"),
    "URL-encoded": [...KEY].map((char) => `%${char.charCodeAt(0).toString(16)}`).join(""),
  };

  /** Everything visible of a value, also decoded from base64. */
  function shownOf(value: unknown): readonly string[] {
    const texts = [
      inspect(value, { depth: 20, showHidden: true, maxStringLength: null }),
      JSON.stringify(value, Object.getOwnPropertyNames(Object(value))) ?? "",
      JSON.stringify(value) ?? "",
      String(value),
    ];
    for (let cause = value; cause instanceof Error; cause = cause.cause) texts.push(cause.message, String(cause.stack));
    const runs = texts.flatMap((text) => text.match(/[\w+/]{8,}/g) ?? []);
    const decoded = runs.flatMap((run) =>
      [0, 1, 2, 3].map((skip) => Buffer.from(run.slice(skip), "base64").toString("latin1")),
    );
    const plain = texts.map((text) =>
      text.replace(/%([0-9a-f]{2})/gi, (_, code) => String.fromCharCode(parseInt(code, 16))),
    );
    return [...texts, ...plain, ...decoded];
  }

  describe.each(Object.keys(quote("")))("that a service repeats in %s", (place) => {
    it.each(Object.entries(forms))("is in no error, diagnostic or event: %s", async (_, text) => {
      const { reader, rows } = await mock.start(quote(text)[place]);
      rows.set("sites", mockRecords("sites", 1));
      const events: RequestEvent[] = [];
      const diagnostics: Diagnostic[] = [];
      const live = reader({
        retries: 1,
        onRequest: (event) => events.push(event),
        onDiagnostic: (one) => diagnostics.push(one),
      });
      const drain = async (rowsOf: AsyncIterable<unknown>) => {
        for await (const _row of rowsOf);
      };
      const errors = [
        await thrown(live.all("sites", {})),
        await thrown(live.collect("sites", {}, decodeRecords)),
        await thrown(drain(live.records("sites", {}))),
        await thrown(drain(live.slices("sites", {}, decodeRecords))),
        await thrown(drain(live.pages("sites", {}))),
        await thrown(live.page("sites", {}, { page: 1, pageSize: 10, sort: [] }, decodeRecords)),
      ];
      expect(errors.every((error) => error instanceof SiteframeError)).toBe(true);
      const { diagnostics: found } = await live.all("sites", {}, { strict: false }).catch(() => ({ diagnostics: [] }));
      const beginning = KEY.slice(0, 5);
      const shown = [live, ...errors, events, diagnostics, found].flatMap(shownOf);
      expect(shown.filter((text) => text.toLowerCase().includes(beginning))).toEqual([]);
    });
  });

  it("is in no event and no error if the caller put it in a parameter or the address", async () => {
    const { reader, baseUrl } = await mock.start({
      prefix: `/${KEY}`,
      fault: (_, response) => refuse(response, 403, "no"),
    });
    const events: RequestEvent[] = [];
    const live = reader({ baseUrl, onRequest: (event) => events.push(event) });
    const error = await thrown(live.all("datasets", { status: KEY }));
    expect(error).toBeInstanceOf(ApiError);
    expect(events).toHaveLength(1);
    expect([live, error, events].flatMap(shownOf).filter((text) => text.includes(KEY.slice(0, 5)))).toEqual([]);
  });

  it("does not follow a redirect", async () => {
    const received: unknown[] = [];
    const other = createServer((request, response) => {
      received.push(request.headers);
      response.end("{}");
    });
    await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
    const location = `http://127.0.0.1:${(other.address() as AddressInfo).port}/sites`;
    const { reader } = await mock.start({ fault: (_, response) => refuse(response, 307, "moved", { location }) });
    const error = await thrown(reader().all("sites", {}));
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ status: 307, hint: expect.stringContaining(new URL(location).origin) });
    expect(received).toEqual([]);
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
    const { reader, requests } = await mock.start({ fault: (_, response) => refuse(response, status, "the reason") });
    const error = await thrown(reader().all("datasets", {}));
    expect(error).toBeInstanceOf(type);
    expect(error).toMatchObject({ status, method: "GET", message: expect.stringContaining(`${status}: the reason`) });
    expect(requests).toHaveLength(1);
  });
});

describe("abort", () => {
  const reason = new Error("enough");

  it("before a read sends nothing", async () => {
    const { reader, requests } = await mock.start();
    expect(await thrown(reader().all("sites", {}, { signal: AbortSignal.abort(reason) }))).toBe(reason);
    expect(requests).toEqual([]);
  });

  it.each(["all", "records", "pages"] as const)("stops %s while a request hangs", async (view) => {
    const controller = new AbortController();
    const { reader } = await mock.start({
      fault: () => {
        controller.abort(reason);
        return true;
      },
    });
    const options = { signal: controller.signal };
    const read = async () => {
      if (view === "all") await reader().all("sites", {}, options);
      else for await (const _ of reader()[view]("sites", {}, options)) expect.unreachable();
    };
    expect(await thrown(read())).toBe(reason);
  });

  it("stops a wait between attempts", async () => {
    await mock.start({ fault: (_, response) => refuse(response, 500) });
    const controller = new AbortController();
    const live = liveReader({ baseUrl: mock.service.baseUrl, apiKey: KEY, signal: controller.signal });
    setTimeout(() => controller.abort(reason), 30);
    expect(await thrown(live.all("sites", new Map()))).toBe(reason);
    await live.close();
  });

  it("stops between the rows of a stream", async () => {
    const { reader, rows } = await mock.start();
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
  it("halves when throttled and reads everything", async () => {
    let active = 0;
    let most = 0;
    const seen: number[] = [];
    const { reader, rows } = await mock.start({
      async fault(_, response) {
        active += 1;
        seen.push(active);
        most = Math.max(most, active);
        const busy = active > 3;
        await new Promise((resolve) => setTimeout(resolve, 20));
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

  it("stays within the option", async () => {
    let active = 0;
    let most = 0;
    const { reader, rows } = await mock.start({
      async fault() {
        active += 1;
        most = Math.max(most, active);
        await new Promise((resolve) => setTimeout(resolve, 20));
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
    await mock.start();
    expect(() => resolveConnection(options)).toThrow(ArgumentError);
    try {
      resolveConnection(options);
    } catch (error) {
      expect(error).toMatchObject({ hint: expect.stringContaining(variable) });
      expect(String(error)).not.toContain("hush");
    }
  });

  it("keeps a path prefix, with or without a slash at the end", async () => {
    const { baseUrl, requests } = await mock.start({ prefix: "/api/v1" });
    const live = liveReader({ baseUrl: `${baseUrl}/`, apiKey });
    await live.all("sites", new Map());
    await live.close();
    expect(requests[0]?.url).toMatch(/^\/api\/v1\/sites\?/);
    expect(live.origin).toEqual({ kind: "live", name: baseUrl });
  });
});
