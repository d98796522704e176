import { connect } from "node:net";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { endpoints } from "../../src/api/endpoints.js";
import type { Service } from "../../src/service/start-service.js";
import type { SnapshotStore } from "../../src/snapshot/serve/snapshot-store.js";
import { randomRuns } from "../support/random-runs.js";
import { getText, json, send } from "./client.js";
import { company } from "./company.js";
import { openSnapshotOf, startTestService } from "./test-service.js";

let store: SnapshotStore;
let service: Service;
/** A service with short time limits, which a busy machine can still meet. */
let hasty: Service;
const failures: unknown[] = [];
beforeAll(async () => {
  store = await openSnapshotOf(company);
  service = await startTestService({
    store,
    onRequest: ({ status, target, error }) => {
      if (status >= 500) failures.push({ status, target, error });
    },
  });
  hasty = await startTestService({ store, limits: { headersTimeoutMs: 2500, requestTimeoutMs: 3500 } });
});
afterAll(async () => {
  await service.close();
  await hasty.close();
  await store.close();
});

/** Sends bytes. @returns everything that comes back until the service hangs up or `ms` have passed */
function exchange(
  bytes: string | Uint8Array,
  { ms = 20_000, end = false, to = service }: { ms?: number; end?: boolean; to?: Service } = {},
): Promise<string> {
  return new Promise((resolve) => {
    let received = "";
    const socket = connect(to.port, "127.0.0.1", () => (end ? socket.end(bytes) : socket.write(bytes)));
    const timer = setTimeout(() => socket.destroy(), ms);
    socket.on("data", (chunk) => {
      received += chunk.toString("latin1");
    });
    socket.on("error", () => {});
    socket.on("close", () => {
      clearTimeout(timer);
      resolve(received);
    });
  });
}

const statuses = (received: string) => [...received.matchAll(/HTTP\/1\.1 (\d+)/g)].map((match) => Number(match[1]));
const last = "Connection: close\r\n";

describe("malformed requests", () => {
  it.each([
    ["no HTTP", "hello\r\n\r\n", 400],
    ["an unknown protocol", "GET /sites HTTP/9.9\r\n\r\n", 400],
    ["the preface of HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 400],
    ["a TLS handshake", "\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001", 400],
    ["a NUL in the target", getText("/si\0tes"), 400],
    ["a NUL in a header", getText("/sites", "X: a\0b\r\n"), 400],
    ["bytes beyond ASCII in the target", getText("/sites?id=ü"), 400],
    ["a space in the target", getText("/sites ?id=1"), 400],
    ["two lengths", getText("/sites", "Content-Length: 1\r\nContent-Length: 2\r\n"), 400],
    ["a length and chunks", getText("/sites", "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n"), 400],
    ["no host", "GET /sites HTTP/1.1\r\n\r\n", 400],
    ["a target of 70 KB", getText(`/sites?id=${"1".repeat(70_000)}`), 431],
    ["a header of 70 KB", getText("/sites", `X: ${"x".repeat(70_000)}\r\n`), 431],
    ["40,000 headers", getText("/sites", "X: x\r\n".repeat(40_000)), 431],
  ])("%s", async (_, bytes, status) => {
    const received = await exchange(bytes);
    expect(statuses(received)).toEqual([status]);
    expect(received.toLowerCase()).toContain("connection: close");
  });

  it("are answered in JSON", async () => {
    const [, body = ""] = (await exchange("hello\r\n\r\n")).split("\r\n\r\n");
    expect(JSON.parse(body)).toMatchObject({ error: { status: 400, code: "malformed_request" } });
  });

  it("behind a valid request are answered after it", async () => {
    const received = await exchange(`${getText("/sites")}nonsense\r\n\r\n`);
    expect(statuses(received)).toEqual([200, 400]);
    expect(received.indexOf('"pagination"')).toBeLessThan(received.indexOf('"malformed_request"'));
  });
});

describe("unusual requests", () => {
  it("pipelined requests are answered in order", async () => {
    const targets = ["/sites", "/blocks", "/nowhere", "/operations?id=101"];
    expect(
      statuses(await exchange(targets.map((target) => getText(target)).join("") + getText("/sites", last))),
    ).toEqual([200, 400, 404, 200, 200]);
  });

  it.each([
    ["a target in absolute form", `${getText("http://example.org:80/sites?id=12", last)}`, 200],
    ["a target in absolute form without a path", getText("http://example.org", last), 404],
    ["a target of two slashes", getText("//sites", last), 404],
    ["OPTIONS *", `OPTIONS * HTTP/1.1\r\nHost: x\r\n${last}\r\n`, 404],
    ["HTTP/1.0", "GET /sites HTTP/1.0\r\nAuthorization: ApiKey all\r\n\r\n", 200],
    ["a body", getText("/sites", `Content-Length: 5\r\n${last}`).concat("hello"), 200],
    [
      "a body in chunks",
      getText("/sites", `Transfer-Encoding: chunked\r\n${last}`).concat("5\r\nhello\r\n0\r\n\r\n"),
      200,
    ],
    ["Expect: 100-continue", getText("/sites", `Expect: 100-continue\r\n${last}`), 100],
    ["an upgrade", getText("/sites", "Upgrade: websocket\r\nConnection: upgrade, close\r\n"), 200],
    ["two Authorization headers", getText("/sites", `Authorization: ApiKey other\r\n${last}`), 200],
    ["a query that is only &", getText("/sites?&&&", last), 200],
    ["a second question mark", getText("/sites?id=12?", last), 400],
  ])("%s", async (_, bytes, status) => {
    expect(statuses(await exchange(bytes))[0]).toBe(status);
  });

  it("CONNECT is hung up on", async () => {
    expect(await exchange("CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n")).toBe("");
  });

  it("the body of a request is not taken for the next request", async () => {
    const body = "GET /nowhere HTTP/1.1\r\n\r\n";
    const bytes = [getText("/sites", `Content-Length: ${body.length}\r\n`), body, getText("/sites", last)].join("");
    expect(statuses(await exchange(bytes))).toEqual([200, 200]);
  });
});

describe("slow and silent clients", () => {
  it.each([
    ["headers that never end", "GET /sites HTTP/1.1\r\nHost: x\r\n", [408]],
    ["a body that never comes", getText("/sites", "Content-Length: 1000000\r\n"), [200, 408]],
    ["silence", "", [408]],
  ])("%s", async (_, bytes, expected) => {
    expect(statuses(await exchange(bytes, { to: hasty }))).toEqual(expected);
  });

  it("a client that closes its side gets the answers to what it sent", async () => {
    expect(statuses(await exchange(getText("/sites") + getText("/blocks"), { end: true }))).toEqual([200, 400]);
  });

  it("a client that hangs up during its request does not disturb others", async () => {
    await exchange("GET /sites HT", { end: true });
    await exchange(getText("/sites"), { ms: 1 });
    expect((await send(service, "/sites")).status).toBe(200);
  });
});

describe("many clients at once", () => {
  it("each gets its own answer", async () => {
    const sites = [12, 15, 20];
    const asked = Array.from({ length: 400 }, (_, n) => sites[n % 3] ?? 0);
    const answers = await Promise.all(asked.map((id) => send(service, `/sites?id=${id}`)));
    expect(answers.map((answer) => json(answer).data[0]?.id)).toEqual(asked);
  });
});

describe("random input", () => {
  const filterNames = Object.values(endpoints).flatMap(({ filters }) => Object.keys(filters));
  const name = fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom("_page", "_pageSize", "_sortBy", ...filterNames) },
    { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 6 }) },
  );
  const known = [
    ...["1", "12", "0", "-1", "10", "COMPLETED", "site"],
    ...["id", "-id", "+id", "properties.STATUS", 'properties."'],
  ];
  const value = fc.oneof(
    fc.constantFrom(...known),
    fc.integer().map(String),
    fc.string({ unit: "binary", maxLength: 12 }),
  );
  const encode = fc.constantFrom<(text: string) => string>(
    (text) => encodeURIComponent(text),
    (text) => encodeURIComponent(text).replaceAll("%", "%25"),
    (text) => text.replaceAll(/[^!-~]/g, "%").replaceAll("#", ""),
  );
  const pair = fc
    .tuple(name, fc.constantFrom("", "[]", "[0]", "%5B%5D"), fc.constantFrom("=", "", "=="), value, encode)
    .map(([key, brackets, equals, text, code]) => `${code(key)}${brackets}${equals}${equals ? code(text) : ""}`);
  const required = fc.constantFrom("", "operation_id=101&", "site_id=12&_page=1&", "layer_feature_id=1&");
  const query = fc.tuple(required, fc.array(pair, { maxLength: 5 })).map(([first, rest]) => first + rest.join("&"));
  const path = fc.constantFrom(...Object.values(endpoints).map((endpoint) => endpoint.path));

  it("a query gets 200, or 400 with a reason", async () => {
    const seen = new Set<number>();
    await fc.assert(
      fc.asyncProperty(path, query, async (at, text) => {
        const received = await send(service, `${at}?${text}`);
        seen.add(received.status);
        expect([200, 400]).toContain(received.status);
        if (received.status === 400) expect(json(received).error.message).toMatch(/\S/);
        else expect(json(received).data.length).toBeLessThanOrEqual(10_000);
      }),
      { numRuns: randomRuns(3000) },
    );
    expect([...seen].sort()).toEqual([200, 400]);
    expect(failures).toEqual([]);
  });

  it("bytes never get a 5xx, and the service continues", async () => {
    const good = getText("/sites?id=12");
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 200 }),
      fc.nat(good.length).map((length) => Buffer.from(good.slice(0, length))),
      fc.tuple(fc.nat(good.length), fc.uint8Array({ maxLength: 5 })).map(([at, noise]) => {
        return Buffer.concat([Buffer.from(good.slice(0, at)), noise, Buffer.from(good.slice(at))]);
      }),
    );
    await fc.assert(
      fc.asyncProperty(bytes, async (sent) => {
        expect(statuses(await exchange(sent, { end: true })).filter((status) => status >= 500)).toEqual([]);
      }),
      { numRuns: randomRuns(500) },
    );
    expect((await send(service, "/sites")).status).toBe(200);
    expect(failures).toEqual([]);
  });
});
