import { type Runtime, Session } from "node:inspector";
import { debugChannelName } from "../threads/shared-memory.js";

type Listener = (params: never) => void;

/**
 * The thread of the cells as its inspector shows it to this thread. Both communicate within the process: no port is
 * opened.
 */
export class InspectedThread {
  readonly #session = new Session();
  readonly #waiting = new Set<(error: Error) => void>();

  constructor() {
    this.#session.connectToMainThread();
  }

  /** Calls a method of the inspector's protocol. Rejects with the inspector's error, and if the session is closed. */
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
   * Calls the thread's channel: `call` follows the dot, for example `names()`. See `DebugChannel`. Returns undefined
   * while the kernel starts, since the channel does not exist yet. Retries if a termination meant for other code struck
   * it.
   */
  async channel(call: string, options: object = {}): Promise<RemoteValue> {
    // Silent: the debugger does not stop at exceptions that the channel catches.
    const params = { expression: channelCall(call), silent: true, ...options };
    for (;;) {
      try {
        return (await this.ask<Runtime.EvaluateReturnType>("Runtime.evaluate", params)).result;
      } catch (error) {
        if (!isTermination(error)) throw error;
      }
    }
  }

  on(event: string, listener: Listener): void {
    this.#session.on(event, ({ params }: { readonly params: never }) => listener(params));
  }

  /** Resumes a stopped thread. */
  close(): void {
    this.#session.disconnect();
    for (const reject of this.#waiting) reject(new Error("The debugger was disconnected."));
    this.#waiting.clear();
  }
}

/**
 * Maximum time in milliseconds for an expression, a condition, or the code that displays a value. Until it returns, the
 * thread handles no other inspector message, including the termination of an interrupt and the end of a stop.
 */
export const evaluationMs = 1500;

/** Whether an evaluation timed out. V8 reports it only in the message. */
export function isTermination(error: unknown): boolean {
  return error instanceof Error && error.message.includes("Execution was terminated");
}

/** JavaScript that calls the thread's channel: see `InspectedThread.channel`. */
export function channelCall(call: string): string {
  return `globalThis[Symbol.for(${JSON.stringify(debugChannelName)})]?.${call}`;
}

/** A request that the debugger cannot fulfill, with a message for the user. */
export class DebugError extends Error {
  override readonly name = "DebugError";
}

/** A value of the thread of the cells, as its inspector describes it. */
export type RemoteValue = Runtime.RemoteObject;

const longest = 500;

/** Whether the contents of a value show more than its class. */
export function hasPreview({ preview, className, subtype }: RemoteValue): boolean {
  return preview !== undefined && (className === "Object" || subtype === "array");
}

/** A value on one line. */
export function remoteText(remote: RemoteValue): string {
  const { type, subtype, value, unserializableValue, description, preview, className } = remote;
  if (type === "string") return cut(JSON.stringify(value));
  if (unserializableValue !== undefined) return unserializableValue;
  if (type === "undefined" || subtype === "null") return subtype ?? type;
  if (type !== "object") return cut((description ?? String(value)).split("\n")[0] as string);
  if (preview && hasPreview(remote)) return cut(previewText(preview, subtype === "array"));
  return cut((description ?? className ?? "object").split("\n")[0] as string);
}

function previewText({ properties, overflow }: Runtime.ObjectPreview, isList: boolean): string {
  const lines = properties.map(({ name, type, value = type }) => {
    const text = type === "string" ? JSON.stringify(value) : value;
    return isList ? text : `${name}: ${text}`;
  });
  const list = [...lines, ...(overflow ? ["…"] : [])].join(", ");
  return isList ? `[${list}]` : `{${list}}`;
}

function cut(text: string): string {
  return text.length > longest ? `${text.slice(0, longest)}…` : text;
}
