import { type Runtime, Session } from "node:inspector";
import { debugChannelName } from "../threads/shared-memory.js";

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
   * Asks the thread's channel: `call` is what follows its dot, as in `names()`. See `DebugChannel`. While the kernel starts there
   * is no channel, and all is undefined. It asks again if it was struck by a termination that was meant for something else.
   */
  async channel(call: string, options: object = {}): Promise<RemoteValue> {
    // Silent: the debugger does not stop at exceptions that the channel catches.
    const asked = { expression: channelCall(call), silent: true, ...options };
    for (;;) {
      try {
        return (await this.ask<Runtime.EvaluateReturnType>("Runtime.evaluate", asked)).result;
      } catch (error) {
        if (!isTermination(error)) throw error;
      }
    }
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

/**
 * How long an expression, a condition, or the code that shows a value may run, in milliseconds. Until it returns, the
 * thread takes nothing else from the inspector, neither the termination of an interrupt nor the end of a stop.
 */
export const evaluationMs = 1500;

/** Whether what was evaluated took longer than that. V8 has no other sign of it. */
export function isTermination(error: unknown): boolean {
  return error instanceof Error && error.message.includes("Execution was terminated");
}

/** JavaScript that calls the thread's channel: see `InspectedThread.channel`. */
export function channelCall(call: string): string {
  return `globalThis[Symbol.for(${JSON.stringify(debugChannelName)})]?.${call}`;
}

/** What a debugger cannot do, in words for whoever asked. */
export class DebugError extends Error {
  override readonly name = "DebugError";
}

/** A value of the thread of the cells, as its inspector describes it. */
export type RemoteValue = Runtime.RemoteObject;

const longest = 500;

/** Whether what is in a value tells more than of which class it is. */
export function hasPreview({ preview, className, subtype }: RemoteValue): boolean {
  return preview !== undefined && (className === "Object" || subtype === "array");
}

/** A value in a line. */
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
  const shown = properties.map(({ name, type, value = type }) => {
    const text = type === "string" ? JSON.stringify(value) : value;
    return isList ? text : `${name}: ${text}`;
  });
  const list = [...shown, ...(overflow ? ["…"] : [])].join(", ");
  return isList ? `[${list}]` : `{${list}}`;
}

function cut(text: string): string {
  return text.length > longest ? `${text.slice(0, longest)}…` : text;
}
