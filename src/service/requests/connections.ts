import type { Server } from "node:http";
import type { Socket } from "node:net";
import { type Answerer, Connection } from "./connection.js";

/** The open connections of a server. */
export class Connections {
  readonly #open = new Map<Socket, Connection>();

  /** @param lateMs how long a request may take to arrive once its connection reads on */
  constructor(server: Server, answer: Answerer, lateMs: number) {
    server.on("connection", (socket) => {
      this.#open.set(socket, new Connection(socket, answer, lateMs));
      socket.once("close", () => this.#open.delete(socket));
    });
    server.on("request", (request, response) => this.#open.get(request.socket)?.add(request, response));
  }

  /** The connection over a socket; undefined once it is closed. */
  of(socket: Socket): Connection | undefined {
    return this.#open.get(socket);
  }

  /** Ends every connection as soon as it owes no answer to what has come. */
  drain(): void {
    for (const connection of this.#open.values()) connection.end();
  }

  /**
   * Closes every connection at once.
   *
   * @returns how many of them owed an answer
   */
  cut(): number {
    const open = [...this.#open].filter(([socket]) => !socket.destroyed);
    for (const [socket] of open) socket.destroy();
    return open.filter(([, { owes }]) => owes).length;
  }
}
