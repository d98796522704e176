import { once } from "node:events";
import { connect, createServer } from "node:net";

/**
 * Reserves a free port of 127.0.0.1 for a server that cannot choose its port: a kernel reads its ports from the connection
 * file, and the nodes of a cluster need the address of the first one.
 *
 * The side of a connection that closes first keeps its port in the state TIME_WAIT for a minute. Meanwhile the system
 * assigns the port neither to servers that listen on port 0 nor to outgoing connections. A server that names the port and
 * sets SO_REUSEADDR can still listen on it, as Node, ZeroMQ, Java and Python's servers do.
 *
 * @returns {Promise<number>}
 */
export async function reservePort() {
  const server = createServer((socket) => socket.resume().end()).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  await once(connect(port, "127.0.0.1").resume(), "close");
  const closed = once(server, "close");
  server.close();
  await closed;
  return port;
}
