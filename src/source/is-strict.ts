import type { Reader } from "../client/read/reader.js";
import type { ReadOptions } from "../client/read-options.js";

/** Whether a read is strict: as the call says, else as the reader does. */
export function isStrict(reader: Reader, options: ReadOptions): boolean {
  return options.strict ?? reader.strict ?? true;
}
