import type { ReadOptions } from "../client/ask/read-options.js";
import type { Reader } from "../client/read/reader.js";
import { type LogReading, logFromColumns } from "../history/log/log-from-columns.js";
import { readChanges } from "./read-changes.js";

/** The log of some features, and when it was read. */
export interface LogRead extends LogReading {
  readonly readAt: number;
}

/**
 * Reads the log of features.
 *
 * @param ids of the features, in the order of their rows
 */
export async function readLog(
  reader: Reader,
  ids: readonly number[],
  options: ReadOptions & { readonly strict: boolean },
): Promise<LogRead> {
  const { columns, readAt, findings } = await readChanges(reader, new Map([["layer_feature_id", ids]]), options);
  const rowOf = new Map(ids.map((id, row) => [id, row]));
  const reading = logFromColumns(columns, rowOf, options.strict);
  return { ...reading, readAt, findings: [...findings, ...reading.findings] };
}
