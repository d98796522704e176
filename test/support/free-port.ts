import { once } from "node:events";
import { createServer } from "node:net";

/** Those of each process that runs tests. */
const share = 2000;

/** What this process has had: somebody who was left behind may still look there for whom it was found for. */
const taken = new Set<number>();

/**
 * A port that nobody has, below those that systems give to whoever connects, which would take it before it is used. Each of
 * the processes that run tests has ports of its own, since one is free until whoever it was found for has started.
 */
export async function freePort(): Promise<number> {
  const place = process.env["VITEST_POOL_ID"];
  if (place === undefined) throw new Error("Ports are given to the processes that run tests.");
  const first = 15_000 + share * (Number(place) % 8);
  for (;;) {
    const port = first + Math.floor(Math.random() * share);
    if (taken.has(port)) continue;
    const server = createServer().listen(port, "127.0.0.1");
    const isFree = await once(server, "listening").then(
      () => true,
      () => false,
    );
    if (!isFree) continue;
    taken.add(port);
    const closed = once(server, "close");
    server.close();
    await closed;
    return port;
  }
}
