import type { ResourceName } from "../../api/resources.js";
import { IdList } from "../../client/page/id-list.js";
import type { DecodeContext, DecodedPage, Id } from "../../client/page/page-decoder.js";
import { protocolError } from "../../client/page/protocol-error.js";
import type { Pseudonym } from "../../client/page/pseudonym.js";
import { readPagination } from "../../client/page/read-pagination.js";
import { redactRecord } from "../../client/page/redact-record.js";
import { schemaOf } from "../format/table-schema.js";
import { splitPage } from "../json/split-page.js";
import { type EncodedRecord, encodeRecord, type RecordInput } from "../write/encode-record.js";

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** Decodes a page into rows of a snapshot's table, each with the record's text as it came. */
export function decodeRows(body: Uint8Array, context: DecodeContext): DecodedPage<readonly EncodedRecord[]> {
  const { records, rest } = split(body);
  const { data, pagination } = typeof rest === "object" && rest !== null ? (rest as Partial<RawPage>) : {};
  if (!Array.isArray(data)) throw protocolError(context.url, "$.data", "expected an array");
  const content = records.map((text, index) => encode(text, index, context));
  return { content, ids: new IdList(content.map(rowId)), pagination: readPagination(pagination, context.url) };
}

/** The id of a row: it is the first column of every table. */
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
    // V8's message quotes the body, and so perhaps a person.
    throw new SyntaxError(`${body.length} bytes that are not JSON in UTF-8`);
  }
}

function encode(text: string, index: number, context: DecodeContext): EncodedRecord {
  const { resource, pseudonym, url } = context;
  const record = pseudonym ? redacted(text, resource, pseudonym) : text;
  const row = encodeRecord(schemaOf(resource), record, ({ path, message }) => {
    context.onViolation(`$.data[${index}]${path}`, message);
  });
  if (!("problem" in row)) return row;
  if (row.problem.startsWith("is no JSON")) throw new SyntaxError("a record that is not JSON");
  throw protocolError(url, `$.data[${index}]`, row.problem);
}

/** What is no record stays as it came: it is refused like any other, and without a word of what it says. */
function redacted(text: string, resource: ResourceName, pseudonym: Pseudonym): RecordInput {
  let record: unknown;
  try {
    record = JSON.parse(text);
  } catch {
    return text;
  }
  return typeof record === "object" && record !== null ? redactRecord(resource, record, pseudonym) : text;
}
