import { DebugError } from "./debug-error.js";
import type { InspectedThread } from "./inspected-thread.js";
import type { RemoteValue } from "./remote-value.js";
import type { StoppedFrame } from "./stops.js";
import type { Hold } from "./variables.js";

interface Evaluated {
  readonly result: RemoteValue;
  readonly exceptionDetails?: { readonly text: string; readonly exception?: RemoteValue };
}

type Bundle = Readonly<Record<string, unknown>>;

/** Evaluates JavaScript in the thread of the cells, where the names of all cells are known. */
export class Evaluator {
  readonly #thread: InspectedThread;

  constructor(thread: InspectedThread) {
    this.#thread = thread;
  }

  /**
   * The value of an expression, in a frame if the thread is stopped.
   *
   * @throws DebugError with what the expression throws
   */
  async evaluate(expression: string, frame: StoppedFrame | undefined, hold: Hold): Promise<RemoteValue> {
    const options = { expression, objectGroup: hold, silent: true, generatePreview: true };
    await this.#thread.desk("lend(true)");
    try {
      const evaluated = frame
        ? await this.#thread.ask<Evaluated>("Debugger.evaluateOnCallFrame", {
            ...options,
            callFrameId: frame.callFrameId,
          })
        : await this.#thread.ask<Evaluated>("Runtime.evaluate", options);
      return resultOf(evaluated);
    } finally {
      await this.#thread.desk("lend(false)");
    }
  }

  /** A value as it shows itself. What shows itself later does so as text while the thread is stopped. */
  async bundle(value: RemoteValue, isStopped: boolean): Promise<Bundle> {
    const desk = await this.#thread.desk<Evaluated>("self", { objectGroup: "stop" });
    const argument =
      value.objectId !== undefined
        ? { objectId: value.objectId }
        : value.unserializableValue !== undefined
          ? { unserializableValue: value.unserializableValue }
          : { value: value.value };
    const shown = resultOf(
      await this.#thread.ask<Evaluated>("Runtime.callFunctionOn", {
        objectId: desk.result.objectId,
        functionDeclaration: `function (value) { const shown = this.bundle(value); return ${isStopped ? 'shown instanceof Promise ? { "text/plain": "A value that shows itself later." } : shown' : "shown"}; }`,
        arguments: [argument],
        silent: true,
        returnByValue: true,
        awaitPromise: !isStopped,
      }),
    );
    return shown.value as Bundle;
  }
}

function resultOf({ result, exceptionDetails }: Evaluated): RemoteValue {
  if (!exceptionDetails) return result;
  const { exception, text } = exceptionDetails;
  throw new DebugError(exception?.description?.split("\n")[0] ?? String(exception?.value ?? text));
}
