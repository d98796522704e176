import { inspect } from "node:util";
import { reasonOf } from "../../../core/reason-of.js";
import { cutText } from "./cut-text.js";

/** Any value as plain text, over several lines where that reads better. */
export function inspectValue(value: unknown): string {
  try {
    return cutText(inspect(value, { depth: 4, maxArrayLength: 100, maxStringLength: 10_000, breakLength: 100 }));
  } catch (error) {
    return `[cannot be inspected: ${reasonOf(error)}]`;
  }
}
