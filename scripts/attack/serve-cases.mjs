// A server of this machine whose answers a case decides.
import { once } from "node:events";
import { createServer } from "node:http";

/**
 * @param {(request: import("node:http").IncomingMessage, response: import("node:http").ServerResponse) => void} answer
 */
export async function serveCases(answer) {
  const server = createServer((request, response) => {
    request.resume();
    // Processes that are attacked may be gone.
    response.on("error", () => undefined);
    answer(request, response);
  }).listen(0, "127.0.0.1");
  server.on("clientError", (_error, socket) => socket.destroy());
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
