import type { Params } from "../../api/params.js";
import type { ResourceName } from "../../api/resources.js";
import type { ReadOptions } from "../../client/ask/read-options.js";
import type { Reader } from "../../client/ask/reader.js";
import type { LiveReader } from "../../client/live-reader.js";
import { ProtocolError } from "../../core/errors.js";
import type { Origin } from "../../core/origin.js";
import { schemaOf } from "../format/table-schema.js";
import { type EncodedRecord, encodeRecord } from "../write/encode-record.js";
import { decodeRows, rowId } from "./decode-rows.js";

/** A few pages are in memory at once, each as bytes, as text and as rows. */
export const STREAMED_PAGE = 2000;

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
  rows<R extends ResourceName>(
    resource: R,
    params: Params<R>,
    onProgress?: ReadOptions["onProgress"],
  ): AsyncIterable<readonly EncodedRecord[]>;
  /** How many features a site has; absent if the source does not say. */
  readonly count?: (site: number | null) => Promise<number>;
  /** The whole log of at most 200 features, in order of id. */
  log(featureIds: readonly number[]): Promise<readonly EncodedRecord[]>;
  /** One page of it; absent if the source has no pages of its own. */
  readonly logPage?: (featureIds: readonly number[], page: number, pageSize: number) => Promise<LogPage>;
}

/** @param options of every read */
export function recordFeed(reader: Reader, options: ReadOptions): RecordFeed {
  return isLive(reader) ? liveFeed(reader, options) : plainFeed(reader, options);
}

function isLive(reader: Reader): reader is LiveReader {
  return reader.origin.kind === "live" && "slices" in reader;
}

function liveFeed(reader: LiveReader, options: ReadOptions): RecordFeed {
  const sort = [{ field: "id", descending: false }];
  return {
    origin: reader.origin,
    async *rows(resource, params, onProgress) {
      const call = { ...options, onProgress, pageSize: options.pageSize ?? STREAMED_PAGE };
      for await (const { content, start, end } of reader.slices(resource, params, decodeRows, call)) {
        yield content.slice(start, end);
      }
    },
    async count(site_id) {
      const address = { page: 1, pageSize: 1, sort };
      const sent = await reader.page("layerFeatures", { site_id }, address, decodeRows, options);
      return sent.pagination.rowCount;
    },
    async log(layer_feature_id) {
      const { slices } = await reader.collect("propertyChanges", { layer_feature_id }, decodeRows, options);
      return slices.flatMap(({ content, start, end }) => content.slice(start, end));
    },
    async logPage(layer_feature_id, page, pageSize) {
      const address = { page, pageSize, sort };
      const sent = await reader.page("propertyChanges", { layer_feature_id }, address, decodeRows, options);
      return { rows: sent.content, offset: sent.offset, rowCount: sent.pagination.rowCount };
    },
  };
}

function plainFeed(reader: Reader, options: ReadOptions): RecordFeed {
  return {
    origin: reader.origin,
    async *rows(resource, params, onProgress) {
      let batch: EncodedRecord[] = [];
      for await (const record of reader.records(resource, params, { ...options, onProgress })) {
        batch.push(encoded(resource, record));
        if (batch.length === 1000) {
          yield batch;
          batch = [];
        }
      }
      if (batch.length > 0) yield batch;
    },
    async log(layer_feature_id) {
      const { rows } = await reader.all("propertyChanges", { layer_feature_id }, options);
      const found = rows.map((record) => encoded("propertyChanges", record));
      return found.sort((a, b) => (rowId(a) < rowId(b) ? -1 : 1));
    },
  };
}

function encoded(resource: ResourceName, record: object): EncodedRecord {
  const row = encodeRecord(schemaOf(resource), record);
  if ("problem" in row) throw new ProtocolError(`A record of ${resource} breaks the contract: ${row.problem}.`, "$");
  return row;
}
