import type { Records, ResourceName } from "../../api/resources.js";
import { showValue } from "../../core/show-value.js";
import { checkRow } from "./check-row.js";
import { IdList } from "./id-list.js";
import type { DecodeContext, DecodedPage, Id } from "./page-decoder.js";
import { protocolError } from "./protocol-error.js";
import { readPagination } from "./read-pagination.js";
import { redactRecord } from "./redact-record.js";

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** The default decoder: a page as an array of records, each compared with the contract. */
export function decodeRecords<R extends ResourceName>(
  body: Uint8Array,
  context: DecodeContext,
): DecodedPage<readonly Records[R][]> {
  const page = parse(body);
  const { data, pagination } = typeof page === "object" && page !== null ? (page as Partial<RawPage>) : {};
  if (!Array.isArray(data)) throw protocolError(context.url, "$.data", `expected an array, got ${showValue(data)}`);
  const records = data as Records[R][];
  const ids = new IdList(records.map((record, index) => checkedId(record, index, context)));
  const { pseudonym } = context;
  const content = pseudonym ? records.map((record) => redactRecord(context.resource, record, pseudonym)) : records;
  return { content, ids, pagination: readPagination(pagination, context.url) };
}

interface RawPage {
  readonly data: unknown;
  readonly pagination: unknown;
}

function parse(body: Uint8Array): unknown {
  try {
    return JSON.parse(utf8.decode(body));
  } catch {
    // V8's message quotes the body, and so perhaps a person.
    throw new SyntaxError(`${body.length} bytes that are not JSON in UTF-8`);
  }
}

function checkedId(record: { readonly id: Id }, index: number, context: DecodeContext): Id {
  checkRow(record, index, context);
  return typeof record.id === "string" ? record.id.toLowerCase() : record.id;
}
