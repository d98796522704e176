import { checkOptions, date, type OptionRules } from "../core/options.js";
import { MemoryReader, type RecordSet } from "./memory-reader.js";
import { Source } from "./source.js";

/** Options of `fromRecords()`. */
export interface FromRecordsOptions {
  /** Time when the records were read, the end of open intervals of histories. Default: now. */
  readonly readAt?: Date;
}

const fromRecordsRules: OptionRules<FromRecordsOptions> = { readAt: date };

/**
 * Returns a source of records in memory, in the form of the API: for tests, files and other stores.
 *
 * @param records arrays of records by resource. Default of each resource: none
 * @example
 * ```ts
 * const sites = (await source.sites()).objects();
 * const copy = fromRecords({ sites });
 * (await copy.sites()).select("id", "name")
 * ```
 * @throws ArgumentError for an unknown resource, an invalid record, or a repeated id
 */
export function fromRecords(records: RecordSet, options: FromRecordsOptions = {}): Source {
  checkOptions("fromRecords()", options, fromRecordsRules);
  return new Source(new MemoryReader(records, options.readAt?.getTime() ?? Date.now()));
}
