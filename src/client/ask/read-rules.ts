import { constants } from "node:buffer";
import { abortSignal, anything, callback, flag, integerFrom, type OptionRules } from "../../core/option-rules.js";
import type { ReadOptions } from "./read-options.js";

/** What every read takes. */
export const readRules: OptionRules<ReadOptions> = {
  timeoutMs: integerFrom(1),
  retries: integerFrom(0),
  concurrency: integerFrom(1),
  // Longer bodies are no texts for V8: it ends the process.
  maxBodyBytes: integerFrom(1, constants.MAX_STRING_LENGTH),
  pageSize: integerFrom(1),
  signal: abortSignal,
  onProgress: callback,
  progress: flag,
  onRequest: callback,
  onFinding: callback,
  strict: flag,
  redact: flag,
  dispatcher: anything,
};
