import { ArgumentError } from "../../core/errors.js";
import { deepJson } from "../../core/json/json.js";

/**
 * A value as JSON text. A `bigint`, which SQL gives for integers that a double cannot hold, is a number where it is exact and
 * else the text of its digits: JSON has no other. It may be nested as deep as can be read.
 *
 * @throws ArgumentError for a value that holds itself
 */
export function jsonText(value: unknown): string {
  try {
    return JSON.stringify(value) ?? "null";
  } catch (error) {
    // A `bigint`, or the end of the stack.
    if (!(error instanceof TypeError || error instanceof RangeError)) throw error;
    return deepText(value);
  }
}

function deepText(value: unknown): string {
  try {
    return deepJson(value, leafText);
  } catch (cause) {
    if (!(cause instanceof TypeError)) throw cause;
    throw new ArgumentError(`${cause.message}.`, { cause, hint: "Take out of it what refers back to it." });
  }
}

function leafText(value: unknown): string {
  return JSON.stringify(typeof value === "bigint" ? plainInteger(value) : value) ?? "null";
}

/** An integer as a number where it is exact, else as text. */
export function plainInteger(value: bigint): number | string {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : String(value);
}

/** An integer of a column of 64-bit integers. */
export function int64Of(value: unknown): bigint {
  return typeof value === "bigint" ? value : BigInt(Number(value));
}
