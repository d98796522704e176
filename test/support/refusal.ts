import { expect } from "vitest";
import { ArgumentError } from "../../src/core/errors.js";

/** The ArgumentError of a call as one line: its message, then its hint. */
export function refusal(call: () => unknown): string {
  try {
    call();
  } catch (error) {
    expect(error).toBeInstanceOf(ArgumentError);
    return String(error);
  }
  return expect.unreachable("The call was not refused.");
}
