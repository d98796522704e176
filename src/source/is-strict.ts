import type { ReadOptions } from "../client/ask/read-options.js";
import type { Reader } from "../client/read/reader.js";

/** Whether a read is strict: as the call says, else as the reader does. */
export function isStrict(reader: Reader, options: ReadOptions): boolean {
  return options.strict ?? reader.strict ?? true;
}
