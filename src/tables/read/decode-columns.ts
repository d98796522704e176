import { checkRow } from "../../client/page/check-row.js";
import { IdList } from "../../client/page/id-list.js";
import type { DecodeContext, Ids, PageDecoder } from "../../client/page/page-decoder.js";
import { protocolError } from "../../client/page/protocol-error.js";
import { readPagination } from "../../client/page/read-pagination.js";
import { showValue } from "../../core/show-value.js";
import { IdColumn } from "../cells/id-column.js";
import { recordAt } from "../column/record-at.js";
import { finishPage } from "./assemble-pages.js";
import { brokenRows } from "./broken-rows.js";
import { type PageFrame, readPage } from "./read-page.js";
import type { ColumnPage, RecordReader } from "./record-reader.js";
import { redactCells } from "./redact-cells.js";

/** What a decoder does with the cells of a page: copies them, or lends them until the next page is read. */
export type Handing = "take" | "lend";

/** A decoder that reads pages into a reader's columns, with the answers and errors of `decodeRecords`. */
export function columnDecoder(reader: RecordReader, handing: Handing = "take"): PageDecoder<ColumnPage> {
  return (body, context) => {
    const frame = readPage(body, reader);
    const page = reader[handing]();
    check(frame, page, reader, context);
    const ids = readIds(page, reader);
    if (context.pseudonym) redactCells(page, reader, context.pseudonym);
    return { content: page, ids, pagination: readPagination(frame.pagination, context.url) };
  };
}

function check(frame: PageFrame, page: ColumnPage, reader: RecordReader, context: DecodeContext): void {
  const { wrongData, wrongElement } = frame;
  if (wrongData) throw protocolError(context.url, "$.data", `expected an array, got ${showValue(wrongData.value)}`);
  const broken = brokenRows(reader, page);
  const columns = broken.length > 0 ? finishPage(reader, page) : undefined;
  for (const row of broken) {
    if (!columns || (wrongElement && row >= wrongElement.index)) break;
    checkRow(recordAt(columns, row), row, context);
  }
  if (wrongElement) checkRow(wrongElement.value, wrongElement.index, context);
}

function readIds(page: ColumnPage, reader: RecordReader): Ids {
  const builder = reader.fields.get("id");
  const cells = builder && page.cells.get(builder);
  return cells ? new IdColumn(cells, builder.finish(cells), builder.store.uuids) : new IdList([]);
}
