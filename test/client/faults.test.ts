import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { brotliCompressSync, constants, deflateSync, gzipSync } from "node:zlib";
import { Agent } from "undici";
import { describe, expect, it } from "vitest";
import { AuthError, NetworkError, ProtocolError, RateLimitError, ServerError } from "../../src/core/errors.js";
import { negotiateCoding } from "../../src/service/answers/page-handler.js";
import { anyParams, mockRecords } from "./mock-records.js";
import { type MockOptions, type MockRequest, mockServices, refuse } from "./mock-service.js";

const mock = mockServices();

const json = { "content-type": "application/json" };
const whole = '{"data":[],"pagination":{"page":1,"pageSize":10,"rowCount":0,"pageCount":0}}';

const brotli = (body: string) => brotliCompressSync(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 3 } });
const codings = { identity: Buffer.from, gzip: gzipSync, deflate: deflateSync, br: brotli } as const;

function encoder(coding: string, compress: (body: string) => Buffer): NonNullable<MockOptions["encode"]> {
  return (body, response) => {
    response.setHeader("content-encoding", coding);
    return compress(body);
  };
}

type Fault = (response: ServerResponse, socket: Socket) => void;

/** Faults that occur once for each page. Some send raw bytes that a correct server cannot send. */
const faults: Readonly<Record<string, Fault>> = {
  "429": (response) => refuse(response, 429, "slow down", { "retry-after": "1" }),
  "500": (response) => refuse(response, 500),
  "502 with a page of HTML": (response) => response.writeHead(502, { "content-type": "text/html" }).end("<h1>no</h1>"),
  "503": (response) => refuse(response, 503, "busy", { "retry-after": "Wed, 01 Jan 2025 00:00:05 GMT" }),
  "504 without a body": (response) => response.writeHead(504).end(),
  "reset before the answer": (_, socket) => socket.resetAndDestroy(),
  "end before the answer": (_, socket) => socket.destroy(),
  "fewer bytes than promised": (_, socket) =>
    socket.end(`HTTP/1.1 200 OK\r\ncontent-length: 5000\r\n\r\n${whole.slice(0, 40)}`),
  "chunks without an end": (_, socket) =>
    socket.end(`HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${whole.length.toString(16)}\r\n${whole}\r\n`),
  "half a body without a length": (_, socket) =>
    socket.end(`HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n${whole.slice(0, 40)}`),
  "reset within the body": (_, socket) => {
    socket.write(`HTTP/1.1 200 OK\r\ncontent-length: 5000\r\n\r\n${whole}`, () => socket.resetAndDestroy());
  },
  "no HTTP at all": (_, socket) => socket.end("SSH-2.0-OpenSSH_9.6\r\n"),
  "a login page": (response) => response.writeHead(200, { "content-type": "text/html" }).end("<html>Log in</html>"),
  "another page's number": (response) => response.writeHead(200, json).end(whole.replace('"page":1', '"page":7')),
  "an empty body": (response) => response.writeHead(200, json).end(),
  "text that is not UTF-8": (response) => response.writeHead(200, json).end(Buffer.from([0x22, 0xff, 0x22])),
  "gzip cut short": (response) =>
    response.writeHead(200, { ...json, "content-encoding": "gzip" }).end(gzipSync(whole).subarray(0, 30)),
  "invalid brotli": (response) => response.writeHead(200, { ...json, "content-encoding": "br" }).end("plain"),
  silence: () => {},
};

/** With a shorter time, a response of a busy machine would count as silence. */
const SILENCE_MS = 2000;

/** Fails once for each page. */
function once(fault: Fault): NonNullable<MockOptions["fault"]> {
  const failed = new Set<string>();
  return ({ url }, response, socket) => {
    if (failed.has(url)) return false;
    failed.add(url);
    fault(response, socket);
    return true;
  };
}

describe.each(Object.entries(faults))("a service whose first response for each page is %s", (name, fault) => {
  const timeoutMs = name === "silence" ? SILENCE_MS : undefined;

  // Rows without an order, and in the order of id.
  it.each(["sites", "layerFeatures"] as const)("returns every row of %s", async (resource) => {
    const { rows, requests, reader } = await mock.start({ fault: once(fault) });
    rows.set(resource, mockRecords(resource, 25));
    const result = await reader({ pageSize: 10, timeoutMs }).all(resource, anyParams[resource]);
    expect(result.rows).toEqual(rows.get(resource));
    expect(requests).toHaveLength(8);
  });
});

describe("a service that fails every time", () => {
  const always = (fault: Fault): MockOptions => ({
    fault: (_request: MockRequest, response, socket) => {
      fault(response, socket);
      return true;
    },
  });
  const failing = async (fault: Fault, timeoutMs?: number) => {
    const { reader } = await mock.start(always(fault));
    return reader({ pageSize: 10, retries: 2, timeoutMs })
      .all("sites", {})
      .catch((error: unknown) => error);
  };

  it.each([
    ["429", RateLimitError],
    ["503", ServerError],
    ["500", ServerError],
    ["reset before the answer", NetworkError],
    ["a login page", ProtocolError],
    ["gzip cut short", NetworkError],
    ["silence", NetworkError],
  ] as const)("throws an error after %s and all retries", async (name, type) => {
    const fault = faults[name];
    const error = fault && (await failing(fault, name === "silence" ? SILENCE_MS : undefined));
    expect(error).toBeInstanceOf(type);
    expect(error).toMatchObject({ message: expect.stringMatching(/^GET http:.*\/sites\?.*\(3 attempts\)/) });
    expect(mock.service.requests).toHaveLength(3);
  });

  it.each([
    ["by its content type", { "content-type": "text/html; charset=utf-8" }, "Log in"],
    ["by its doctype", json, "\uFEFF\n <!DOCTYPE html><p>Log in</p>"],
    ["by its first tag", {}, "<HTML><head>"],
  ])("reports an HTML page as a wrong address: %s", async (_, headers, body) => {
    const error = await failing((response) => response.writeHead(200, headers).end(body));
    expect(error).toBeInstanceOf(ProtocolError);
    expect(error).toMatchObject({
      message: expect.stringMatching(/\(3 attempts\) returned an HTML page instead of JSON\.$/),
      hint: expect.stringContaining("SITEFRAME_BASE_URL"),
    });
  });

  it("reports the status, even if the body cannot be decoded", async () => {
    const gzip = { "content-encoding": "gzip", "retry-after": "1" };
    const refused = await failing((response) => response.writeHead(401, gzip).end());
    expect(refused).toBeInstanceOf(AuthError);
    expect(mock.service.requests).toHaveLength(1);
    await mock.service.close();
    expect(await failing((response) => response.writeHead(429, gzip).end("no gzip"))).toBeInstanceOf(RateLimitError);
  });

  it("does not report other text as an HTML page", async () => {
    const error = await failing((response) => response.writeHead(200, json).end('{"note": "<html>"'));
    expect(error).toBeInstanceOf(NetworkError);
  });

  it("throws an error if every response has another page number", async () => {
    const error = await failing((response) => faults["another page's number"]?.(response, response.socket as Socket));
    expect(error).toBeInstanceOf(ProtocolError);
    expect(error).toMatchObject({
      path: "$.pagination.page",
      message: expect.stringContaining("page 1 was requested"),
    });
    expect(mock.service.requests).toHaveLength(3);
  });

  it("has a hint for refusals that a retry cannot fix", async () => {
    const error = await failing((response) => refuse(response, 401, "no key", { "retry-after": "86400" }));
    expect(error).toMatchObject({ hint: expect.stringContaining("Check the API key"), facts: { status: 401 } });
  });

  it.each(["first", "later"])("requests no smaller pages after a long Retry-After (%s page)", async (which) => {
    const { rows, requests, reader } = await mock.start({
      fault: ({ page }, response) =>
        (which === "first" || page > 1) && refuse(response, 503, "closed", { "retry-after": "3600" }),
    });
    rows.set("datasets", mockRecords("datasets", 250));
    const error = await reader({ pageSize: 200, concurrency: 1 })
      .all("datasets", {})
      .catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ServerError);
    expect(error).toMatchObject({
      hint: "Retry in 60 minutes, as the service requests.",
      facts: { status: 503, attempts: 1, retryAfterMs: 3_600_000 },
    });
    expect(requests).toHaveLength(which === "first" ? 1 : 2);
  });
});

describe("a page that is too large for the service", () => {
  it.each(["first", "later"])("is read in smaller pages (%s page)", async (which) => {
    const { rows, reader } = await mock.start({
      fault: ({ pageSize, page }, response) =>
        pageSize > 300 && (which === "first" || page > 1) && refuse(response, 500, "out of memory"),
    });
    rows.set("datasets", mockRecords("datasets", 2500));
    const result = await reader({ pageSize: 1000, retries: 0 }).all("datasets", {});
    expect(result.rows).toEqual(rows.get("datasets"));
  });

  it.each(Object.entries(codings))(
    "is read in smaller pages if its body is too large (%s)",
    async (coding, compress) => {
      const { rows, requests, reader } = await mock.start({ encode: encoder(coding, compress) });
      rows.set("datasets", mockRecords("datasets", 2500));
      const result = await reader({ pageSize: 1000, maxBodyBytes: 100_000 }).all("datasets", {});
      expect(result.rows).toEqual(rows.get("datasets"));
      expect(requests.map(({ pageSize }) => pageSize).slice(0, 2)).toEqual([1000, 250]);
    },
  );
});

describe("a body larger than maxBodyBytes", () => {
  const maxBodyBytes = 50_000;
  const read = () =>
    mock.service
      .reader({ maxBodyBytes })
      .all("datasets", {})
      .catch((error: unknown) => error);

  it.each(Object.entries(codings))(
    "is an error for the smallest page, without retries (%s)",
    async (coding, compress) => {
      await mock.start({ encode: (_, response) => encoder(coding, compress)(" ".repeat(1_000_000), response) });
      const error = await read();
      expect(error).toBeInstanceOf(ProtocolError);
      expect(error).toMatchObject({
        message: expect.stringMatching(/^GET http:.*_pageSize=100&.* returned more than 0\.05 MB\.$/),
        hint: expect.stringContaining("maxBodyBytes"),
        facts: { maxBodyBytes, problem: "size" },
      });
      expect(mock.service.requests.map(({ pageSize }) => pageSize)).toEqual([10_000, 2500, 625, 157, 100]);
      expect(mock.service.sleeps).toEqual([]);
    },
  );

  it("is aborted if it does not end", async () => {
    let open = 0;
    await mock.start({
      fault(_, response, socket) {
        open += 1;
        socket.once("close", () => {
          open -= 1;
        });
        const write = () => {
          while (!response.destroyed && response.write(" ".repeat(10_000)));
        };
        response.writeHead(200, json).on("drain", write);
        write();
        return true;
      },
    });
    expect(await read()).toBeInstanceOf(ProtocolError);
    await expect.poll(() => open).toBe(0);
  });

  it("is refused by its content length", async () => {
    await mock.start({
      fault(_, response) {
        response.writeHead(200, { ...json, "content-length": 1e12 }).write(" ");
        return true;
      },
    });
    expect(await read()).toBeInstanceOf(ProtocolError);
  });

  it("is refused with too many content codings", async () => {
    await mock.start({
      encode(_, response) {
        response.setHeader("content-encoding", Array.from({ length: 1000 }, () => "gzip").join());
        return gzipSync("");
      },
    });
    const live = mock.service.reader({ retries: 0 });
    await expect(live.all("datasets", {})).rejects.toThrow("too many content codings: 1000");
  });

  it.each([0, 1.5, 2 ** 29])("has a limit below the maximum length of a string: not %d", async (wrong) => {
    await mock.start();
    expect(() => mock.service.reader({ maxBodyBytes: wrong })).toThrow(
      "The option maxBodyBytes must be an integer from 1 to 536870888",
    );
  });
});

describe("compressed bodies", () => {
  it("are requested from other machines only", async () => {
    const { baseUrl, requests, reader } = await mock.start();
    const dispatcher = new Agent().compose(
      (dispatch) => (options, handler) => dispatch({ ...options, origin: baseUrl }, handler),
    );
    const codingsOf = async (url: string) => {
      await reader({ baseUrl: url, dispatcher }).all("sites", {});
      return negotiateCoding(String(requests.at(-1)?.headers["accept-encoding"]));
    };
    for (const far of ["http://sites.example", "http://10.0.0.7:8080", "http://localhost.example"]) {
      expect(await codingsOf(far), far).toBe("br");
    }
    for (const near of ["http://127.0.0.1:8080", "http://localhost", "http://[::1]:80"]) {
      expect(await codingsOf(near), near).toBe("identity");
    }
    await dispatcher.close();
  });
});
