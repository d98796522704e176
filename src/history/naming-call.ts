import { ArgumentError } from "../core/errors.js";

const NAMES_A_CALL = /^[\w.]+\(/;

/**
 * Runs a call, and puts its name before the message of an ArgumentError without one: `asOf(): invalid time "today".`
 *
 * @param call the call as users write it: `asOf()`
 */
export function namingCall<T>(call: string, run: () => T): T {
  try {
    return run();
  } catch (error) {
    throw withCall(call, error);
  }
}

/** Returns a message after a call: `TRENCHES_AT(): invalid time "today".` */
export function afterCall(call: string, message: string): string {
  return `${call}: ${message.replace(/^[A-Z](?=[a-z]* )/, (letter) => letter.toLowerCase())}`;
}

/** Returns an error with the name of a call before its message, if it is an ArgumentError without one. */
export function withCall(call: string, error: unknown): unknown {
  if (!(error instanceof ArgumentError) || NAMES_A_CALL.test(error.message)) return error;
  const { message, stack } = error;
  error.message = afterCall(call, message);
  if (stack?.includes(message)) error.stack = stack.replace(message, () => error.message);
  return error;
}
