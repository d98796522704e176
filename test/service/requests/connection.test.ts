import { EventEmitter } from "node:events";
import type { Server } from "node:http";
import { connect, type Socket } from "node:net";
import { PassThrough } from "node:stream";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { ServedRequest } from "../../../src/service/answers/respond.js";
import { Connections } from "../../../src/service/requests/connection.js";
import type { Store } from "../../../src/service/store/store.js";
import { send } from "../client.js";
import { startTestService } from "../test-service.js";

const request = (version = "1.1") => `GET /sites HTTP/${version}\r\nHost: x\r\nAuthorization: ApiKey all\r\n\r\n`;
const page = { data: Buffer.from("[]"), rowCount: 0 };

/** A service whose first page takes until it is released, or not wanted any more. */
async function slowService() {
  const requests: ServedRequest[] = [];
  let [start, release, giveUp] = [() => {}, () => {}, (_: unknown) => {}];
  const started = new Promise<void>((resolve) => {
    start = resolve;
  });
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const givenUp = new Promise<unknown>((resolve) => {
    giveUp = resolve;
  });
  let pages = 0;
  const store: Store = {
    version: "1",
    page: async (_endpoint, _query, _access, signal) => {
      if (++pages > 1) return page;
      start();
      signal?.addEventListener("abort", () => giveUp(signal.reason));
      await Promise.race([released, givenUp]);
      signal?.throwIfAborted();
      return page;
    },
  };
  const service = await startTestService({
    store,
    limits: { probeMs: 50 },
    onRequest: (served) => requests.push(served),
  });
  return { service, requests, started, release, givenUp };
}

describe("a query", () => {
  it.each([
    ["closed the connection", "", "destroy"],
    ["reset the connection", "", "resetAndDestroy"],
    ["left with more requests waiting", request().repeat(5), "destroy"],
  ] as const)("is given up when its client %s", async (_, more, leave) => {
    const { service, requests, started, givenUp } = await slowService();
    const socket = connect(service.port, "127.0.0.1", () => socket.write(request() + more));
    socket.on("error", () => {});
    await started;
    socket[leave]();
    await givenUp;
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
  ])("goes on for a client of HTTP/%s that only closed its side", async (version, expected) => {
    const { service, requests, started, release } = await slowService();
    let received = "";
    const socket = connect({ port: service.port, host: "127.0.0.1", allowHalfOpen: true }, () => {
      socket.end(request(version));
    });
    let told = () => {};
    const toldTwice = new Promise<void>((resolve) => {
      told = resolve;
    });
    socket.on("data", (chunk) => {
      received += chunk.toString("latin1");
      if (received.split("102 Processing").length > 2) told();
    });
    const closed = new Promise((resolve) => socket.once("close", resolve));
    await started;
    // HTTP/1.0 knows no such words.
    await (version === "1.0" ? new Promise((resolve) => setTimeout(resolve, 500)) : toldTwice);
    release();
    await closed;
    expect(received).toMatch(expected);
    expect(requests.map(({ status }) => status)).toEqual([200]);
    await service.close();
  });
});

describe("a request that is late while its connection waits", () => {
  afterEach(() => void vi.useRealTimers());

  // When Node looks for late requests cannot be chosen: a server of its own would be asked at the right moment by chance.
  it("has its time from when the connection reads on, though it is found late only then", () => {
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
