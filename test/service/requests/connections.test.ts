import { connect, type Socket } from "node:net";
import { describe, expect, it, vi } from "vitest";
import type { Store } from "../../../src/service/answers/page-handler.js";
import type { Service } from "../../../src/service/start-service.js";
import { deferred, getText, send } from "../client.js";
import { startTestService } from "../test-service.js";

const MB = 1 << 20;

/** A store with pages of a given size that counts the requested pages. */
function countingStore(bytes: number, gate: (page: number) => Promise<void> = async () => {}) {
  const counts = { started: 0, underWay: 0, mostUnderWay: 0 };
  const store: Store = {
    version: "1",
    page: async (_, { page }) => {
      counts.started += 1;
      counts.underWay += 1;
      counts.mostUnderWay = Math.max(counts.mostUnderWay, counts.underWay);
      await gate(page);
      counts.underWay -= 1;
      return { data: Buffer.from(`["${String(page).padEnd(bytes, ".")}"]`), rowCount: 1 };
    },
  };
  return { counts, store };
}

const get = (page: number, headers = "") => getText(`/sites?_page=${page}`, headers);
const last = (page: number) => get(page, "Connection: close\r\n");
const numbers = (count: number) => Array.from({ length: count }, (_, n) => n + 1);
/** Requests for pages 1 to n. The last one ends the connection. */
const getAll = (count: number) => [...numbers(count - 1).map((page) => get(page)), last(count)].join("");

/** A client that reads nothing until `read()`. */
function client(service: Service, bytes: string) {
  const socket: Socket = connect(service.port, "127.0.0.1", () => socket.write(bytes));
  const chunks: Buffer[] = [];
  socket.on("error", () => {});
  socket.pause();
  const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
  return {
    socket,
    /** Reads to the end. @returns the numbers of the complete pages, and the statuses, in order */
    async read() {
      socket.on("data", (chunk: Buffer) => chunks.push(chunk));
      socket.resume();
      await closed;
      const text = Buffer.concat(chunks).toString("latin1");
      const all = (pattern: RegExp) => [...text.matchAll(pattern)].map((match) => Number(match[1]));
      return {
        pages: all(/\["(\d+)\.*"\],"pagination":\{[^}]*\}\}/g),
        statuses: all(/HTTP\/1\.1 (\d+)/g).filter((status) => status >= 200),
      };
    },
  };
}

describe("pipelined requests", () => {
  it("are answered one at a time and in order, however many come at once", async () => {
    const { counts, store } = countingStore(100);
    const service = await startTestService({ store });
    expect((await client(service, getAll(3000)).read()).pages).toEqual(numbers(3000));
    expect(counts.mostUnderWay).toBe(1);
    await service.close();
  });

  it("of a client that does not read are not processed, and delay no other client", async () => {
    const { counts, store } = countingStore(MB);
    const service = await startTestService({ store });
    const silent = client(service, getAll(100));
    await vi.waitFor(() => expect(counts.started).toBeGreaterThan(0), 20_000);
    for (let round = 0; round < 50; round++) expect((await send(service, "/sites")).status).toBe(200);
    // The system's buffers hold some pages, and one more may be ready.
    expect(counts.started - 50).toBeLessThan(50);
    expect((await silent.read()).pages).toEqual(numbers(100));
    await service.close();
  });

  it("are not read while one waits", async () => {
    const released = deferred();
    const { counts, store } = countingStore(100, (page) => (page === 1 ? released.promise : Promise.resolve()));
    const service = await startTestService({ store });
    const flood = client(service, get(1) + get(2).repeat(300_000));
    await vi.waitFor(() => expect(counts.started).toBe(1), 20_000);
    await new Promise((resolve) => setTimeout(resolve, 300));
    // The system's buffers hold some of the 24 MB. The service has read little of the rest.
    expect(flood.socket.writableLength).toBeGreaterThan(4 * MB);
    flood.socket.destroy();
    released.resolve();
    await service.close();
    expect(counts.started).toBeLessThan(10);
  });

  it("are not late while the service does not read", async () => {
    const slow = (page: number) => new Promise<void>((resolve) => setTimeout(resolve, page === 1 ? 6000 : 0));
    const { store } = countingStore(100, slow);
    // A busy machine may need seconds until the first bytes come.
    const service = await startTestService({ store, limits: { headersTimeoutMs: 3000, requestTimeoutMs: 5000 } });
    const requests = numbers(3000).map((page) => get(page));
    const { pages, statuses } = await client(service, `${requests.join("")}GET /sites`).read();
    expect(pages).toEqual(numbers(3000));
    // The last one never ends.
    expect(statuses.slice(3000)).toEqual([408]);
    await service.close();
  });

  it("behind a request that ends the connection are not processed", async () => {
    const { counts, store } = countingStore(100);
    const service = await startTestService({ store });
    expect((await client(service, last(1) + getAll(100)).read()).pages).toEqual([1]);
    expect(counts.started).toBe(1);
    await service.close();
  });
});
