import type { LiveReader } from "../client/live-reader.js";
import type { Reader } from "../client/reader.js";

/** Whether a reader gives page bytes, which go into columns without a record each. */
export function isLive(reader: Reader): reader is LiveReader {
  return "collect" in reader;
}
