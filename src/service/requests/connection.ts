import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** Answers a request by ending its response. */
export type Answerer = (request: IncomingMessage, response: ServerResponse) => void;

/** How long a client may take to see that the connection has ended; what it sends meanwhile is thrown away. */
const LINGER_MS = 1000;

/**
 * A connection and the requests that came over it. They are answered one at a time, each once the answer before has
 * left for the client; while one waits for its turn, nothing more is read. So a connection costs one answer, however
 * many requests it sends and however slowly it reads.
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

  /** @param lateMs how long a request may take to arrive once the connection reads on */
  constructor(socket: Socket, answer: Answerer, lateMs: number) {
    this.#socket = socket;
    this.#answer = answer;
    this.#lateMs = lateMs;
    // Node reads on after each answer.
    socket.on("resume", () => this.#hold());
    socket.once("close", () => {
      this.#waiting.length = 0;
      clearTimeout(this.#lateTimer);
    });
  }

  /** Whether a request that came over it has no answer yet, or one that has not left. */
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

  /** Calls back once the connection owes no answer: at once if it owes none now. */
  whenSettled(action: () => void): void {
    this.#whenSettled.push(action);
    if (!this.owes) this.#settled();
  }

  /** Calls back for a request that did not arrive in time; if it was not read, once it has had its time. */
  whenLate(action: () => void): void {
    this.#late = action;
    if (!this.#isHeld) this.#giveTime();
  }

  /**
   * Ends the connection once the requests that have come are answered. Later ones are not; their bytes are read, since a
   * socket that is closed over unread bytes takes back what it has sent.
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
    // The answer before may have ended the connection.
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

/**
 * A signal that is aborted once nobody waits for an answer any more.
 *
 * A client that closed its side of the connection may have left, or may wait for its answer as `nc -N` does, and a
 * connection of which we read no more tells nothing. So these are sent "102 Processing" now and then, of which a client
 * takes any number (RFC 9110, 15.2); where nobody is left, the system refuses the second one.
 *
 * @param probeMs time between two of them
 */
export function clientSignal(request: IncomingMessage, response: ServerResponse, probeMs: number): AbortSignal {
  const controller = new AbortController();
  const { socket } = request;
  const probe = () => {
    if (!response.headersSent && (socket.readableEnded || socket.isPaused())) response.writeProcessing();
  };
  // HTTP/1.0 has no such answers.
  const timer = request.httpVersion === "1.0" ? undefined : setInterval(probe, probeMs);
  response.once("close", () => {
    clearInterval(timer);
    controller.abort();
  });
  return controller.signal;
}
