import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** Responds to a request by ending its response. */
export type Answerer = (request: IncomingMessage, response: ServerResponse) => void;

/** Time for a client to notice that the connection has ended; data received meanwhile is discarded. */
const LINGER_MS = 1000;

/**
 * A connection and its requests. They are handled one at a time, each after the previous response was sent to the
 * client. While a request waits for its turn, reading is paused. A connection therefore holds one response in memory,
 * however many requests it sends and however slowly it reads.
 */
class Connection {
  readonly #socket: Socket;
  readonly #answer: Answerer;
  readonly #lateMs: number;
  readonly #waiting: (readonly [IncomingMessage, ServerResponse])[] = [];
  #current: ServerResponse | undefined;
  #isHeld = false;
  #isEnding = false;
  #late: (() => void) | undefined;
  #readOnAtMs = Number.NEGATIVE_INFINITY;
  #lateTimer: NodeJS.Timeout | undefined;
  readonly #whenSettled: (() => void)[] = [];

  /** @param lateMs how long a request may take to arrive after reading resumes */
  constructor(socket: Socket, answer: Answerer, lateMs: number) {
    this.#socket = socket;
    this.#answer = answer;
    this.#lateMs = lateMs;
    // Node resumes reading after each response.
    socket.on("resume", () => this.#hold());
    socket.once("close", () => {
      this.#waiting.length = 0;
      clearTimeout(this.#lateTimer);
    });
  }

  /** Whether a received request has no response yet, or a response that is not fully sent. */
  get owes(): boolean {
    return this.#current !== undefined || this.#waiting.length > 0;
  }

  add(request: IncomingMessage, response: ServerResponse): void {
    if (this.#isEnding) return;
    clearTimeout(this.#lateTimer);
    this.#late = undefined;
    this.#waiting.push([request, response]);
    this.#next();
    this.#hold();
  }

  /** Calls back once no response is pending: immediately if none is. */
  whenSettled(action: () => void): void {
    this.#whenSettled.push(action);
    if (!this.owes) this.#settled();
  }

  /** Calls back for a request that did not arrive in time. If reading was paused, the time starts when it resumes. */
  whenLate(action: () => void): void {
    this.#late = action;
    if (!this.#isHeld) this.#giveTime();
  }

  /**
   * Ends the connection once the received requests are handled. Later requests are not; their bytes are read, since
   * closing a socket with unread bytes discards sent data.
   */
  end(): void {
    this.#isEnding = true;
    if (!this.owes) {
      this.#socket.destroySoon();
      return;
    }
    this.whenSettled(() => {
      this.#socket.end();
      const timer = setTimeout(() => this.#socket.destroy(), LINGER_MS);
      this.#socket.once("close", () => clearTimeout(timer));
    });
  }

  #next(): void {
    if (this.#current) return;
    // The previous response may have ended the connection.
    if (!this.#socket.writable) this.#waiting.length = 0;
    const [turn] = this.#waiting.splice(0, 1);
    if (this.#waiting.length === 0) this.#release();
    if (!turn) {
      this.#settled();
      return;
    }
    const [request, response] = turn;
    this.#current = response;
    response.once("close", () => {
      this.#current = undefined;
      this.#next();
    });
    this.#answer(request, response);
  }

  #hold(): void {
    if (this.#waiting.length === 0) return;
    this.#isHeld = true;
    this.#socket.pause();
  }

  #release(): void {
    if (!this.#isHeld) return;
    this.#isHeld = false;
    this.#readOnAtMs = performance.now();
    this.#socket.resume();
    this.#giveTime();
  }

  #giveTime(): void {
    if (!this.#late) return;
    const left = this.#readOnAtMs + this.#lateMs - performance.now();
    if (left > 0) this.#lateTimer = setTimeout(this.#late, left);
    else this.#late();
  }

  #settled(): void {
    for (const action of this.#whenSettled.splice(0)) action();
  }
}

/** The open connections of a server. */
export class Connections {
  readonly #open = new Map<Socket, Connection>();

  /** @param lateMs how long a request may take to arrive after its connection resumes reading */
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

  /** Ends every connection as soon as it has no pending response. */
  drain(): void {
    for (const connection of this.#open.values()) connection.end();
  }

  /**
   * Closes every connection at once.
   *
   * @returns the number of connections with a pending response
   */
  cut(): number {
    const open = [...this.#open].filter(([socket]) => !socket.destroyed);
    for (const [socket] of open) socket.destroy();
    return open.filter(([, { owes }]) => owes).length;
  }
}

/**
 * Returns a signal that is aborted when the client no longer waits for a response.
 *
 * A client that closed its side of the connection may have disconnected, or may wait for the response as `nc -N` does.
 * A connection with paused reading gives no sign. So "102 Processing", which clients must accept in any number (RFC
 * 9110, 15.2), is sent now and then; if the client is gone, the system refuses the second one.
 *
 * @param probeMs time between two probes
 */
export function clientSignal(request: IncomingMessage, response: ServerResponse, probeMs: number): AbortSignal {
  const controller = new AbortController();
  const { socket } = request;
  const probe = () => {
    if (!response.headersSent && (socket.readableEnded || socket.isPaused())) response.writeProcessing();
  };
  // HTTP/1.0 has no such responses.
  const timer = request.httpVersion === "1.0" ? undefined : setInterval(probe, probeMs);
  response.once("close", () => {
    clearInterval(timer);
    controller.abort();
  });
  return controller.signal;
}
