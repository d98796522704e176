import type { Reader } from "../client/read/reader.js";
import type { ReadOptions } from "../client/read-options.js";

/** Whether a read is strict: the option of the call, else the reader's default. */
export function isStrict(reader: Reader, options: ReadOptions): boolean {
  return options.strict ?? reader.strict ?? true;
}
