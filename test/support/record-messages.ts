import { appendFileSync, mkdirSync } from "node:fs";
import { relative } from "node:path";
import { afterAll } from "vitest";

// `npm run messages` collects the messages of all errors that tests cause. Errors of src are made from the global `Error`, so a
// class in its place, set before src is loaded, sees each of them.

interface Recorded extends Error {
  readonly code?: unknown;
  readonly hint?: unknown;
}

const folder = process.env["SITEFRAME_TEST_MESSAGES"];
const key = Symbol.for("siteframe.messages");
const globals = globalThis as { [key]?: Map<string, Recorded> };

if (folder) {
  globals[key] ??= record();
  const errors = globals[key];
  afterAll(() => {
    mkdirSync(folder, { recursive: true });
    const lines = [...errors].flatMap(([place, { name, code, message, hint }]) => {
      const isOurs = typeof code === "string" && code.startsWith("ERR_") && hint !== null;
      return isOurs ? [`${JSON.stringify({ place, name, code, message, hint })}\n`] : [];
    });
    errors.clear();
    appendFileSync(`${folder}/${process.pid}.jsonl`, lines.join(""));
  });
}

/** Puts a class in the place of `Error` that keeps the first error of each line of code. */
function record(): Map<string, Recorded> {
  const Native = Error;
  const errors = new Map<string, Recorded>();
  class RecordedError extends Native {
    constructor(...given: ConstructorParameters<ErrorConstructor>) {
      super(...given);
      if (new.target === RecordedError) return;
      const frames = (this.stack ?? "").split("\n").map((frame) => /(\/src\/[^:)]+:\d+)/.exec(frame)?.[1]);
      const place = frames.find((frame) => frame && !frame.startsWith("/src/core/errors.ts"));
      const line = place && relative("/", place);
      if (line && !errors.has(line)) errors.set(line, this);
    }
  }
  // Errors of JavaScript are instances of `Error`, too.
  Object.defineProperty(RecordedError, Symbol.hasInstance, {
    value(this: new (...given: never) => unknown, value: unknown): boolean {
      return (this as unknown) === RecordedError
        ? value instanceof Native
        : Function.prototype[Symbol.hasInstance].call(this, value);
    },
  });
  globalThis.Error = RecordedError as unknown as ErrorConstructor;
  return errors;
}
