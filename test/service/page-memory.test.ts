import { get, type IncomingMessage } from "node:http";
import { buffer } from "node:stream/consumers";
import { setTimeout as sleepMs } from "node:timers/promises";
import { expect, it } from "vitest";
import type { StoredPage } from "../../src/snapshot/serve/snapshot-store.js";
import { startTestService } from "./test-service.js";

function begin(port: number): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: "ApiKey all" };
    get({ port, path: "/sites", headers, agent: false }, resolve).on("error", reject);
  });
}

it("the memory of a page is released once, after a slow client has read it or has left", async () => {
  const released: number[] = [];
  let pages = 0;
  const page = async (): Promise<StoredPage> => {
    // More than the buffers of a connection.
    const data = Buffer.alloc(32 << 20, "x");
    const number = ++pages;
    const release = () => {
      released.push(number);
      data.fill("-");
    };
    return { data, rowCount: 1, release };
  };
  const service = await startTestService({ store: { version: "1", page } });
  const slow = await begin(service.port);
  const leaving = await begin(service.port);
  await sleepMs(50);
  expect(released).toEqual([]);
  leaving.on("error", () => {}).destroy();
  await expect.poll(() => released).toEqual([2]);
  const body = await buffer(slow);
  expect(body.includes("-")).toBe(false);
  expect(body.length).toBeGreaterThan(32 << 20);
  await expect.poll(() => released).toEqual([2, 1]);
  await service.close();
});
