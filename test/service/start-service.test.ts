import { connect } from "node:net";
import { describe, expect, it } from "vitest";
import { ArgumentError } from "../../src/core/errors.js";
import type { Store } from "../../src/service/answers/page-handler.js";
import type { ServedRequest } from "../../src/service/answers/respond.js";
import { parseApiKey } from "../../src/service/requests/authenticator.js";
import type { Service } from "../../src/service/start-service.js";
import { deferred, getText, json, send } from "./client.js";
import { startTestService } from "./test-service.js";

const empty = { data: Buffer.from("[]"), rowCount: 0 };

function storeOf(page: Store["page"]): Store {
  return { version: "1", page };
}

describe("options", () => {
  it.each([
    ["no key", { apiKeys: [] }, "apiKeys is empty"],
    ["a key twice", { apiKeys: [{ key: "a" }, { key: "a", siteIds: [1] }] }, "a key twice"],
    ["a key that no header can hold", { apiKeys: [{ key: "a b" }] }, "visible ASCII"],
    ["an empty key", { apiKeys: [{ key: "" }] }, "visible ASCII"],
    ["a site that is not an integer", { apiKeys: [{ key: "a", siteIds: [1.5] }] }, "1.5"],
    ["no page size", { maxPageSize: 0 }, "maxPageSize"],
    ["a fraction of a page size", { maxPageSize: 0.5 }, "0.5"],
    ["a host that is not ours", { host: "192.0.2.1" }, "192.0.2.1"],
    ["a port that does not exist", { port: 70_000 }, "70000"],
  ])("%s is refused", async (_, options, word) => {
    const failure = startTestService(options);
    await expect(failure).rejects.toBeInstanceOf(ArgumentError);
    await expect(failure).rejects.toThrow(word);
  });

  it("a repeated key shows how to pass its sites", async () => {
    const failure = startTestService({ apiKeys: [{ key: "a" }, { key: "a", siteIds: [1] }] });
    await expect(failure).rejects.toMatchObject({ hint: expect.stringContaining("siteIds: [12, 15]") });
  });

  it("a taken port is refused", async () => {
    const service = await startTestService();
    await expect(startTestService({ port: service.port })).rejects.toThrow(`port ${service.port}`);
    await service.close();
  });

  it("maxPageSize limits every endpoint, and the default size", async () => {
    const service = await startTestService({ maxPageSize: 2 });
    expect(json(await send(service, "/datasets")).pagination).toMatchObject({ pageSize: 2, pageCount: 4 });
    expect((await send(service, "/datasets?_pageSize=3")).status).toBe(400);
    await service.close();
  });

  it("a larger maxPageSize applies only to endpoints without a maximum in the specification", async () => {
    const service = await startTestService({ maxPageSize: 50_000 });
    expect((await send(service, "/sites?_pageSize=50000")).status).toBe(200);
    expect((await send(service, "/datasets?_pageSize=10001")).status).toBe(400);
    await service.close();
  });

  it("listens on the given host", async () => {
    const service = await startTestService({ host: "::1" });
    expect(service.url).toBe(`http://[::1]:${service.port}`);
    expect((await fetch(`${service.url}/sites`, { headers: { authorization: "ApiKey all" } })).status).toBe(200);
    await service.close();
  });
});

describe("keys of the command line", () => {
  it("are a key, or a key and its sites", () => {
    expect(parseApiKey("KEY")).toEqual({ key: "KEY" });
    expect(parseApiKey("KEY=12, 15")).toEqual({ key: "KEY", siteIds: [12, 15] });
  });

  it.each([
    "",
    "=12",
    "s3cret=",
    "s3cret=1,",
    "s3cret=x",
    "s3cret==",
    "s3cret=1=2",
    "s3cret =1",
    "s3cret=99999999999999999",
  ])("%j is refused without showing the key", (text) => {
    expect(() => parseApiKey(text)).toThrow(ArgumentError);
    expect(() => parseApiKey(text)).toThrow(/^(?!.*s3cret)/);
  });
});

describe("onRequest", () => {
  it("receives every request, without its key", async () => {
    const requests: ServedRequest[] = [];
    const failing = storeOf(() => Promise.reject(new Error("disk")));
    const service = await startTestService({ store: failing, onRequest: (request) => requests.push(request) });
    await send(service, "/sites?_page=0");
    const failed = await send(service, "/sites");
    await service.close();

    expect(requests.map(({ method, target, status }) => [method, target, status])).toEqual([
      ["GET", "/sites?_page=0", 400],
      ["GET", "/sites", 500],
    ]);
    expect(requests[1]).toMatchObject({ bytes: failed.body.byteLength, error: new Error("disk") });
    expect(json(failed).error).toEqual({ status: 500, code: "internal", message: "The service failed." });
  });
});

describe("close", () => {
  it("finishes the requests in progress, refuses new ones, and can be called again", async () => {
    const [started, released] = [deferred(), deferred()];
    const service = await startTestService({
      store: storeOf(async () => {
        started.resolve();
        await released.promise;
        return empty;
      }),
    });
    const underWay = send(service, "/sites");
    await started.promise;
    const closed = Promise.all([service.close(), service.close()]);
    await expect(fetch(service.url)).rejects.toThrow();
    released.resolve();
    expect((await underWay).status).toBe(200);
    await closed;
    await service.close();
  });

  /** A page that is larger than the system's buffers. */
  const large = { data: Buffer.from(`["${"x".repeat(24 << 20)}"]`), rowCount: 1 };

  /** A client that has read the first bytes of the page. */
  async function reader(service: Service) {
    const socket = connect(service.port, "127.0.0.1", () => socket.write(getText()));
    const chunks: Buffer[] = [];
    socket.on("error", () => {});
    const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
    await new Promise<void>((resolve) =>
      socket.on("data", (chunk: Buffer) => {
        chunks.push(chunk);
        socket.pause();
        resolve();
      }),
    );
    return {
      socket,
      /** Reads the rest slowly. @returns the announced and received bytes of the body */
      async rest() {
        socket.on("data", () => setTimeout(() => socket.resume(), 2));
        socket.resume();
        await closed;
        const text = Buffer.concat(chunks).toString("latin1");
        const announced = Number(/Content-Length: (\d+)/i.exec(text)?.[1]);
        return { announced, received: text.length - (text.indexOf("\r\n\r\n") + 4) };
      },
    };
  }

  it("finishes responses that are read slowly", async () => {
    const service = await startTestService({ store: storeOf(async () => large) });
    const readers = await Promise.all([reader(service), reader(service), reader(service)]);
    const closed = service.close();
    for (const { announced, received } of await Promise.all(readers.map(({ rest }) => rest()))) {
      expect(announced).toBeGreaterThan(large.data.byteLength);
      expect(received).toBe(announced);
    }
    expect(await closed).toBe(0);
  });

  it("cuts off unread responses after the grace time, and returns their number", async () => {
    const service = await startTestService({ store: storeOf(async () => large), limits: { graceMs: 100 } });
    const silent = await Promise.all([reader(service), reader(service)]);
    expect(await service.close()).toBe(2);
    for (const { socket } of silent) socket.destroy();
  });

  it("is shortened by a second call", async () => {
    const service = await startTestService({ store: storeOf(async () => large), limits: { graceMs: 600_000 } });
    const { socket } = await reader(service);
    const closed = service.close();
    expect(await service.close(0)).toBe(1);
    expect(await closed).toBe(1);
    socket.destroy();
  });

  it("answers pipelined requests that came before, and no later ones", async () => {
    const [started, released] = [deferred(), deferred()];
    let pages = 0;
    const service = await startTestService({
      store: storeOf(async () => {
        pages += 1;
        started.resolve();
        await released.promise;
        return large;
      }),
    });
    const socket = connect(service.port, "127.0.0.1", () => socket.write(getText().repeat(3)));
    let bytes = 0;
    socket.on("data", (chunk) => {
      bytes += chunk.length;
    });
    const ended = new Promise((resolve) => socket.once("close", resolve));
    await started.promise;
    const closed = service.close();
    socket.write(getText().repeat(3));
    released.resolve();
    await ended;
    expect(await closed).toBe(0);
    expect(pages).toBe(3);
    expect(bytes).toBeGreaterThan(3 * large.data.byteLength);
  });

  it("does not wait for idle connections, or connections without a whole request", async () => {
    const service = await startTestService();
    const sockets = ["", "GET /sites", "GET /sites HTTP/1.1\r\nHost: x\r\n"].map((text) => {
      const socket = connect(service.port, "127.0.0.1", () => socket.write(text));
      return new Promise((resolve) => socket.once("close", resolve).on("error", resolve).resume());
    });
    await send(service, "/sites");
    await service.close();
    await Promise.all(sockets);
  });
});
