import { LARGEST_PAGE } from "../../api/form/endpoint.js";
import type { EncodedRecord } from "../write/encode-record.js";
import { rowId } from "./decode-rows.js";
import type { LogChunk } from "./log-plan.js";
import type { RecordFeed } from "./record-feed.js";

/** Rows that may come again so that one request is enough: they cost less than a second request. */
const SMALL = 1000;

/**
 * Reads what is new in the log of some features, in order of id.
 *
 * The log only appends: in order of id, new rows stand behind the known ones. So one page is asked for that begins at
 * or before the last known row. If that row stands exactly where it stood, all known rows stand before it, and what
 * comes after it is all that is new. Otherwise (rows were hidden, uncovered or inserted) the whole log of these
 * features is read and compared.
 *
 * @param knownIds reads the ids of the rows that are known
 */
export async function readLogChunk(
  feed: RecordFeed,
  chunk: LogChunk,
  knownIds: () => Promise<ReadonlySet<string>>,
): Promise<readonly EncodedRecord[]> {
  const continued = chunk.last === undefined ? undefined : await readTail(feed, chunk, chunk.last);
  if (continued) return continued;
  const rows = await feed.log(chunk.ids);
  if (chunk.known === 0) return rows;
  const known = await knownIds();
  return rows.filter((row) => !known.has(String(rowId(row))));
}

/** The rows behind the last known one; undefined if that is not where it was. */
async function readTail(
  feed: RecordFeed,
  { ids, known }: LogChunk,
  last: string,
): Promise<readonly EncodedRecord[] | undefined> {
  const { page, pageSize } = pageBehind(known);
  const first = await feed.logPage(ids, page, pageSize);
  if (!first) return undefined;
  const at = known - 1 - first.offset;
  const lastRow = first.rows[at];
  if (!lastRow || rowId(lastRow) !== last) return undefined;
  const rows = first.rows.slice(at + 1);
  let { rowCount } = first;
  for (let next = page + 1; known + rows.length < rowCount; next += 1) {
    const more = await feed.logPage(ids, next, pageSize);
    // Pages of a log that only appends follow each other without gap or overlap.
    if (more?.offset !== known + rows.length || more.rows.length === 0) return undefined;
    rows.push(...more.rows);
    rowCount = more.rowCount;
  }
  return rows;
}

/** The page that holds the last known row and has most room behind it. */
function pageBehind(known: number): { readonly page: number; readonly pageSize: number } {
  const before = known - 1;
  if (before < SMALL) return { page: 1, pageSize: LARGEST_PAGE };
  const pages = Math.ceil(before / LARGEST_PAGE);
  return { page: pages + 1, pageSize: Math.floor(before / pages) };
}
