import { once } from "node:events";
import { createServer } from "node:net";

/** A port that nobody has, below those that systems give to whoever connects, which would take it before it is used. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = 15_000 + Math.floor(Math.random() * 17_000);
    const server = createServer().listen(port, "127.0.0.1");
    const isFree = await once(server, "listening").then(
      () => true,
      () => false,
    );
    if (!isFree) continue;
    const closed = once(server, "close");
    server.close();
    await closed;
    return port;
  }
}
