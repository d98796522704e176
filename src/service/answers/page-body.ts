import type { Pagination } from "../../api/page.js";
import type { ParsedQuery } from "../../api/parse-query.js";
import type { StoredPage } from "../../snapshot/serve/snapshot-store.js";

const head = Buffer.from('{"data":');

/** The body of a list response, around the bytes of the store: they are not parsed again. */
export function pageBody(query: ParsedQuery, { data, rowCount }: StoredPage): readonly Uint8Array[] {
  return [head, data, Buffer.from(`,"pagination":${JSON.stringify(paginate(query, rowCount))}}`)];
}

function paginate({ page, pageSize }: ParsedQuery, rowCount: number): Pagination {
  return { page, pageSize, rowCount, pageCount: Math.ceil(rowCount / pageSize) };
}
