import type { ResolvedFilters } from "../../api/params.js";
import type { ResourceName } from "../../api/resources.js";
import type { ReadOptions } from "../../client/ask/read-options.js";
import { Violations } from "../../client/page/violations.js";
import type { Reader } from "../../client/read/reader.js";
import { ProtocolError } from "../../core/errors.js";
import type { Origin } from "../../core/origin.js";
import { schemaOf } from "../format/table-schema.js";
import { type EncodedRecord, encodeRecord } from "../write/encode-record.js";
import { decodeRows, rowId } from "./decode-rows.js";

/** A few pages are in memory at once, each as bytes, as text and as rows. */
export const STREAMED_PAGE = 2000;

const BATCH_ROWS = 1000;
const BY_ID = [{ field: "id", descending: false }];

/** One page of the log of some features, in order of id. */
export interface LogPage {
  readonly rows: readonly EncodedRecord[];
  /** Rows before this page. */
  readonly offset: number;
  /** Rows of the whole log of these features. */
  readonly rowCount: number;
}

/** What a pull reads from: any source, as rows of a snapshot's tables. */
export interface RecordFeed {
  readonly origin: Origin;
  /** Rows in order of id, some at a time; a few may come late if the service moved them while it was read. */
  rows(
    resource: ResourceName,
    filters: ResolvedFilters,
    onProgress?: ReadOptions["onProgress"],
  ): AsyncIterable<readonly EncodedRecord[]>;
  /** How many features a site has; undefined if the source does not say. */
  count(site: number | null): Promise<number | undefined>;
  /** The whole log of as many features as one request takes, in order of id. */
  log(featureIds: readonly number[]): Promise<readonly EncodedRecord[]>;
  /** One page of it; undefined if the source has no pages of its own. */
  logPage(featureIds: readonly number[], page: number, pageSize: number): Promise<LogPage | undefined>;
}

/** @param options of every read */
export function recordFeed(reader: Reader, options: ReadOptions): RecordFeed {
  return {
    origin: reader.origin,
    rows: (resource, filters, onProgress) => readRows(reader, resource, filters, { ...options, onProgress }),
    async count(site) {
      const address = { page: 1, pageSize: 1, sort: BY_ID };
      const sent = await reader.page?.("layerFeatures", new Map([["site_id", [site]]]), address, decodeRows, options);
      return sent?.pagination.rowCount;
    },
    log: (featureIds) => readLog(reader, logOf(featureIds), options),
    async logPage(featureIds, page, pageSize) {
      const address = { page, pageSize, sort: BY_ID };
      const sent = await reader.page?.("propertyChanges", logOf(featureIds), address, decodeRows, options);
      return sent && { rows: sent.content, offset: sent.offset, rowCount: sent.pagination.rowCount };
    },
  };
}

function logOf(featureIds: readonly number[]): ResolvedFilters {
  return new Map([["layer_feature_id", featureIds]]);
}

async function* readRows(
  reader: Reader,
  resource: ResourceName,
  filters: ResolvedFilters,
  options: ReadOptions,
): AsyncGenerator<readonly EncodedRecord[], void> {
  if (reader.slices) {
    const paged = { ...options, pageSize: options.pageSize ?? STREAMED_PAGE };
    for await (const { content, start, end } of reader.slices(resource, filters, decodeRows, paged)) {
      yield content.slice(start, end);
    }
    return;
  }
  const encoder = new RecordEncoder(reader, resource, options);
  let batch: EncodedRecord[] = [];
  let rows = 0;
  // Its records come without a word of how many there are.
  const tell = () => {
    rows += batch.length;
    options.onProgress?.({ resource, rows, total: undefined, share: 0, bytes: 0 });
  };
  for await (const record of reader.records(resource, filters, { ...options, onProgress: undefined })) {
    batch.push(encoder.encode(record));
    if (batch.length === BATCH_ROWS) {
      tell();
      yield batch;
      batch = [];
    }
  }
  tell();
  if (batch.length > 0) yield batch;
  encoder.end();
}

async function readLog(
  reader: Reader,
  filters: ResolvedFilters,
  options: ReadOptions,
): Promise<readonly EncodedRecord[]> {
  if (reader.collect) {
    const { slices } = await reader.collect("propertyChanges", filters, decodeRows, options);
    return slices.flatMap(({ content, start, end }) => content.slice(start, end));
  }
  const { rows } = await reader.all("propertyChanges", filters, options);
  const encoder = new RecordEncoder(reader, "propertyChanges", options);
  const found = rows.map((record) => encoder.encode(record));
  encoder.end();
  return found.sort((a, b) => (rowId(a) < rowId(b) ? -1 : 1));
}

/** Makes rows of records; times that do not exist are errors, or findings where the read is not strict. */
class RecordEncoder {
  readonly #resource: ResourceName;
  readonly #strict: boolean;
  readonly #onFinding: ReadOptions["onFinding"];
  readonly #impossible: Violations;

  constructor(reader: Reader, resource: ResourceName, options: ReadOptions) {
    this.#resource = resource;
    this.#strict = options.strict ?? reader.strict ?? true;
    this.#onFinding = options.onFinding;
    this.#impossible = new Violations(resource);
  }

  encode(record: object): EncodedRecord {
    const row = encodeRecord(schemaOf(this.#resource), record, ({ path, message }) => {
      if (this.#strict) throw this.#breach(`${path.slice(1)}: ${message}`);
      this.#impossible.add("", path, message);
    });
    if ("problem" in row) throw this.#breach(row.problem);
    return row;
  }

  /** Tells what was found. */
  end(): void {
    for (const finding of this.#impossible.findings()) this.#onFinding?.(finding);
  }

  #breach(problem: string): ProtocolError {
    return new ProtocolError(`A record of ${this.#resource} breaks the contract: ${problem}.`, "$");
  }
}
