import { checkOptions, date, type OptionRules } from "../core/options.js";
import { MemoryReader, type RecordSet } from "./memory-reader.js";
import { Source } from "./source.js";

/** Options of `fromRecords()`. */
export interface FromRecordsOptions {
  /** When the records were read; now if absent. Ends open intervals of histories. */
  readonly readAt?: Date;
}

const fromRecordsRules: OptionRules<FromRecordsOptions> = { readAt: date };

/**
 * A source over records in memory, as the API sends them: for tests, files and other stores.
 *
 * @param records arrays of records by resource; a resource that is left out has none
 * @throws ArgumentError for a name that is no resource, a record that breaks the contract, or an id that comes twice
 */
export function fromRecords(records: RecordSet, options: FromRecordsOptions = {}): Source {
  checkOptions("fromRecords()", options, fromRecordsRules);
  return new Source(new MemoryReader(records, options.readAt?.getTime() ?? Date.now()));
}
