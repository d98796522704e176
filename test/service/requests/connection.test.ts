import { EventEmitter } from "node:events";
import type { Server } from "node:http";
import { connect, type Socket } from "node:net";
import { PassThrough } from "node:stream";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { Store } from "../../../src/service/answers/page-handler.js";
import type { ServedRequest } from "../../../src/service/answers/respond.js";
import { Connections } from "../../../src/service/requests/connection.js";
import { deferred, getText, send } from "../client.js";
import { startTestService } from "../test-service.js";

const page = { data: Buffer.from("[]"), rowCount: 0 };

/** A service whose first page takes until it is released or aborted. */
async function slowService() {
  const requests: ServedRequest[] = [];
  const [started, released, aborted] = [deferred(), deferred(), deferred<unknown>()];
  let pages = 0;
  const store: Store = {
    version: "1",
    page: async (_endpoint, _query, _access, signal) => {
      if (++pages > 1) return page;
      started.resolve();
      signal?.addEventListener("abort", () => aborted.resolve(signal.reason));
      await Promise.race([released.promise, aborted.promise]);
      signal?.throwIfAborted();
      return page;
    },
  };
  const service = await startTestService({
    store,
    limits: { probeMs: 50 },
    onRequest: (served) => requests.push(served),
  });
  return { service, requests, started: started.promise, release: released.resolve, aborted: aborted.promise };
}

describe("a query", () => {
  it.each([
    ["closed the connection", "", "destroy"],
    ["reset the connection", "", "resetAndDestroy"],
    ["left with more requests waiting", getText().repeat(5), "destroy"],
  ] as const)("is aborted when its client %s", async (_, more, leave) => {
    const { service, requests, started, aborted } = await slowService();
    const socket = connect(service.port, "127.0.0.1", () => socket.write(getText() + more));
    socket.on("error", () => {});
    await started;
    socket[leave]();
    await aborted;
    expect((await send(service, "/sites")).status).toBe(200);
    await service.close();
    expect(requests.map(({ status, error }) => [status, error])).toEqual([
      [499, undefined],
      [200, undefined],
    ]);
  });

  it.each([
    ["1.1", /^(HTTP\/1\.1 102 Processing\r\n\r\n){2,}HTTP\/1\.1 200 OK\r\n/],
    ["1.0", /^HTTP\/1\.1 200 OK\r\n/],
  ])("continues for a client of HTTP/%s that only closed its side", async (version, expected) => {
    const { service, requests, started, release } = await slowService();
    let received = "";
    const socket = connect({ port: service.port, host: "127.0.0.1", allowHalfOpen: true }, () => {
      socket.end(getText("/sites", "", version));
    });
    const processing = deferred();
    socket.on("data", (chunk) => {
      received += chunk.toString("latin1");
      if (received.split("102 Processing").length > 2) processing.resolve();
    });
    const closed = new Promise((resolve) => socket.once("close", resolve));
    await started;
    // HTTP/1.0 has no interim responses.
    await (version === "1.0" ? new Promise((resolve) => setTimeout(resolve, 500)) : processing.promise);
    release();
    await closed;
    expect(received).toMatch(expected);
    expect(requests.map(({ status }) => status)).toEqual([200]);
    await service.close();
  });
});

describe("a late request behind another", () => {
  afterEach(() => void vi.useRealTimers());

  // The moment when Node looks for late requests cannot be set, so that a real server would rarely meet this case.
  it("has its full time from when the connection reads on", () => {
    vi.useFakeTimers();
    const server = new EventEmitter();
    const connections = new Connections(server as Server, () => {}, 1000);
    const socket = new PassThrough() as unknown as Socket;
    const [first, second] = [new EventEmitter(), new EventEmitter()];
    const refuse = vi.fn();
    server.emit("connection", socket);
    for (const response of [first, second]) server.emit("request", { socket }, response);
    vi.advanceTimersByTime(5000);
    first.emit("close");
    vi.advanceTimersByTime(400);
    connections.of(socket)?.whenLate(refuse);
    vi.advanceTimersByTime(599);
    expect(refuse).toHaveBeenCalledTimes(0);
    vi.advanceTimersByTime(1);
    expect(refuse).toHaveBeenCalledTimes(1);
    vi.advanceTimersByTime(5000);
    connections.of(socket)?.whenLate(refuse);
    expect(refuse).toHaveBeenCalledTimes(2);
  });
});
