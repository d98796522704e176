import type { ResolvedFilters } from "../../api/filters.js";
import type { ResourceName } from "../../api/resources.js";
import {
  type DecodeContext,
  type DecodedPage,
  type Id,
  IdList,
  readPagination,
} from "../../client/page/page-decoder.js";
import { protocolError } from "../../client/page/protocol-error.js";
import { hasPersons, type Pseudonym, redactRecord } from "../../client/page/pseudonym.js";
import { Violations } from "../../client/page/violations.js";
import type { Reader } from "../../client/read/reader.js";
import type { ReadOptions } from "../../client/read-options.js";
import { ProtocolError } from "../../core/errors.js";
import type { Origin } from "../../core/provenance.js";
import { schemaOf } from "../format/table-schema.js";
import { splitPage } from "../json/json-text.js";
import { type EncodedRecord, encodeRecord, type RecordInput } from "../write/encode-record.js";

/** Rows of a page; a few pages are in memory at once, each as bytes, as text and as rows. */
export const STREAMED_PAGE = 2000;

const BATCH_ROWS = 1000;
const BY_ID = [{ field: "id", descending: false }];

/** A page of the log of some features, in order of id. */
interface LogPage {
  readonly rows: readonly EncodedRecord[];
  /** Count of rows before this page. */
  readonly offset: number;
  /** Count of rows in the whole log of these features. */
  readonly rowCount: number;
}

/** Source of a pull: any source, as rows of a snapshot's tables. */
export interface RecordFeed {
  readonly origin: Origin;
  /** Rows in order of id, in batches; a few may be late if the service moved them during the read. */
  rows(
    resource: ResourceName,
    filters: ResolvedFilters,
    onProgress?: ReadOptions["onProgress"],
  ): AsyncIterable<readonly EncodedRecord[]>;
  /** Count of features of a site; undefined if the source cannot count. */
  count(site: number | null): Promise<number | undefined>;
  /** The whole log of the features of one request, in order of id. */
  log(featureIds: readonly number[]): Promise<readonly EncodedRecord[]>;
  /** One page of this log; undefined if the source has no pages. */
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
  // Records in memory have no counts.
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
  const encoded = rows.map((record) => encoder.encode(record));
  encoder.end();
  return encoded.sort((a, b) => (rowId(a) < rowId(b) ? -1 : 1));
}

/** Converts records to rows; nonexistent times are errors, or diagnostics in lenient reads. */
class RecordEncoder {
  readonly #resource: ResourceName;
  readonly #strict: boolean;
  readonly #onDiagnostic: ReadOptions["onDiagnostic"];
  readonly #impossible: Violations;

  constructor(reader: Reader, resource: ResourceName, options: ReadOptions) {
    this.#resource = resource;
    this.#strict = options.strict ?? reader.strict ?? true;
    this.#onDiagnostic = options.onDiagnostic;
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

  /** Reports the diagnostics. */
  end(): void {
    for (const diagnostic of this.#impossible.diagnostics()) this.#onDiagnostic?.(diagnostic);
  }

  #breach(problem: string): ProtocolError {
    return new ProtocolError(`A record of ${this.#resource} violates the contract: ${problem}.`, "$");
  }
}

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** Decodes a page into rows of a snapshot's table, each with its original text. */
export function decodeRows(body: Uint8Array, context: DecodeContext): DecodedPage<readonly EncodedRecord[]> {
  const { records, rest } = split(body);
  const { data, pagination } = typeof rest === "object" && rest !== null ? (rest as Partial<RawPage>) : {};
  if (!Array.isArray(data)) throw protocolError(context.url, "$.data", "expected an array");
  const content = records.map((text, index) => encode(text, index, context));
  return { content, ids: new IdList(content.map(rowId)), pagination: readPagination(pagination, context.url) };
}

/** The id of a row, the first column of every table. */
export function rowId({ values: [id] }: EncodedRecord): Id {
  return typeof id === "bigint" ? Number(id) : String(id);
}

interface RawPage {
  readonly data: unknown;
  readonly pagination: unknown;
}

function split(body: Uint8Array): ReturnType<typeof splitPage> {
  try {
    return splitPage(utf8.decode(body));
  } catch {
    // V8's message quotes the body, which may contain personal data.
    throw new SyntaxError(`${body.length} bytes that are not JSON in UTF-8`);
  }
}

function encode(text: string, index: number, context: DecodeContext): EncodedRecord {
  const { resource, pseudonym, url } = context;
  const record = pseudonym && hasPersons(resource) ? redacted(text, resource, pseudonym) : text;
  const row = encodeRecord(schemaOf(resource), record, ({ path, message }) => {
    context.onViolation(`$.data[${index}]${path}`, message);
  });
  if (!("problem" in row)) return row;
  if (row.problem.startsWith("is not JSON")) throw new SyntaxError("a record that is not JSON");
  throw protocolError(url, `$.data[${index}]`, row.problem);
}

/** An invalid record stays unchanged here and is rejected later, without quoting its content. */
function redacted(text: string, resource: ResourceName, pseudonym: Pseudonym): RecordInput {
  let record: unknown;
  try {
    record = JSON.parse(text);
  } catch {
    return text;
  }
  return typeof record === "object" && record !== null ? redactRecord(resource, record, pseudonym) : text;
}
