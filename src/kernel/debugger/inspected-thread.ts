import { Session } from "node:inspector";
import { debugDeskName } from "../threads/debug-desk.js";

type Listener = (params: never) => void;

/**
 * The thread of the cells as its inspector shows it to this one. The two speak within the process: no port is opened.
 */
export class InspectedThread {
  readonly #session = new Session();
  readonly #waiting = new Set<(error: Error) => void>();

  constructor() {
    this.#session.connectToMainThread();
  }

  /** Calls a method of the inspector's protocol. Rejects with what it complains of, and when the session is closed. */
  ask<Answer>(method: string, params: object = {}): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.#waiting.add(reject);
      this.#session.post(method, params, (error, answer) => {
        this.#waiting.delete(reject);
        if (error) reject(new Error(`${method}: ${error.message}`));
        else resolve(answer as Answer);
      });
    });
  }

  /**
   * Asks the thread's desk: `call` is what follows its dot, as in `names()`. See `DebugDesk`. While the kernel starts there
   * is no desk, and all is undefined.
   */
  async desk<Answer>(call: string, options: object = {}): Promise<Answer> {
    const expression = `globalThis[Symbol.for(${JSON.stringify(debugDeskName)})]?.${call}`;
    // Silent: what the desk catches is no exception to stop at.
    return this.ask("Runtime.evaluate", { expression, silent: true, ...options });
  }

  on(event: string, listener: Listener): void {
    this.#session.on(event, ({ params }: { readonly params: never }) => listener(params));
  }

  /** A thread that is stopped goes on. */
  close(): void {
    this.#session.disconnect();
    for (const reject of this.#waiting) reject(new Error("The debugger was disconnected."));
    this.#waiting.clear();
  }
}
