import type { Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** The open connections of a server, and which of them owe answers. */
export class Connections {
  readonly #owed = new Map<Socket, Set<ServerResponse>>();
  readonly #waiting = new WeakMap<Socket, () => void>();
  #draining = false;

  constructor(server: Server) {
    server.on("connection", (socket) => {
      this.#owed.set(socket, new Set());
      socket.once("close", () => this.#owed.delete(socket));
    });
    server.prependListener("request", ({ socket }, response) => {
      const owed = this.#owed.get(socket);
      owed?.add(response);
      response.once("close", () => {
        owed?.delete(response);
        if (owed?.size === 0) this.#settled(socket);
      });
    });
  }

  /** Calls back once the connection owes no answer: at once if it owes none now. */
  whenSettled(socket: Socket, action: () => void): void {
    this.#waiting.set(socket, action);
    if (!this.#owed.get(socket)?.size) this.#settled(socket);
  }

  /** Closes every connection as soon as it owes no answer. */
  drain(): void {
    this.#draining = true;
    for (const [socket, owed] of this.#owed) if (owed.size === 0) socket.destroySoon();
  }

  #settled(socket: Socket): void {
    this.#waiting.get(socket)?.();
    this.#waiting.delete(socket);
    if (this.#draining) socket.destroySoon();
  }
}
