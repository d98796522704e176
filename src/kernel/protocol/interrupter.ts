import { Session } from "node:inspector";

/** How long the thread of the cells may take to answer before it is held to be busy. */
const patienceMs = 20;
/** A termination of which nothing was heard for so long has been lost. */
const lostAfterMs = 1000;
/** A native call, such as `execSync`, cannot be stopped. */
const giveUpMs = 10_000;

/** A connection to the inspector of the thread of the cells. */
export type InspectorSession = Pick<Session, "disconnect"> & {
  post(method: "Runtime.terminateExecution", onDone: () => void): void;
};

/** Asks the thread of the cells to end the running cell and to say that it heard. */
export type AskToStop = (attempt: number) => void;

/**
 * Stops what the thread of the cells is doing. If it answers, it ends the cell itself. If it does not, its execution
 * is terminated through the inspector, which stops any JavaScript. A termination that comes too late strikes whatever
 * runs next, so the thread is asked again until it answers with no termination pending.
 */
export class Interrupter {
  readonly #ask: AskToStop;
  readonly #connect: () => InspectorSession;
  readonly #heard = new Set<number>();
  #session: InspectorSession | undefined;
  /** When a termination was asked for of which nothing has been heard. */
  #terminating: number | undefined;
  #attempts = 0;
  #running: Promise<void> | undefined;

  constructor(ask: AskToStop, connect: () => InspectorSession = connectToMainThread) {
    this.#ask = ask;
    this.#connect = connect;
  }

  /** Resolves when nothing is being stopped. */
  get done(): Promise<void> {
    return this.#running ?? Promise.resolve();
  }

  /** The thread of the cells answered. */
  heard(attempt: number): void {
    this.#heard.add(attempt);
  }

  /** Before the process ends, which else waits for whoever inspects it. */
  close(): void {
    this.#session?.disconnect();
    this.#session = undefined;
  }

  interrupt(): Promise<void> {
    this.#running ??= this.#stop().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  async #stop(): Promise<void> {
    const deadline = Date.now() + giveUpMs;
    while (Date.now() < deadline) {
      const answered = await this.#answers();
      const isTerminating = this.#terminating !== undefined && Date.now() - this.#terminating < lostAfterMs;
      if (answered && !isTerminating) break;
      if (!answered && !isTerminating) this.#terminate();
    }
    this.#heard.clear();
  }

  async #answers(): Promise<boolean> {
    const attempt = ++this.#attempts;
    this.#ask(attempt);
    for (const end = Date.now() + patienceMs; Date.now() < end; ) {
      await new Promise((resolve) => setTimeout(resolve, 1));
      if (this.#heard.has(attempt)) return true;
    }
    return false;
  }

  #terminate(): void {
    this.#terminating = Date.now();
    this.#session ??= this.#connect();
    this.#session.post("Runtime.terminateExecution", () => {
      this.#terminating = undefined;
    });
  }
}

function connectToMainThread(): Session {
  const session = new Session();
  session.connectToMainThread();
  return session;
}
