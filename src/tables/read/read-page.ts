import { isUtf8 } from "node:buffer";
import { ascii } from "../json/ascii.js";
import { JsonBytes } from "../json/json-bytes.js";
import { jsonAt, readElements, readMembers } from "../json/read-members.js";
import { MALFORMED, scanValue, skipSpace } from "../json/scan-json.js";
import type { RecordReader } from "./record-reader.js";

/** What a page holds besides its records, which went to the reader. */
export interface PageFrame {
  /** The member `data` where it is no array; undefined if it is one. */
  readonly wrongData: { readonly value: unknown } | undefined;
  /** The first element of `data` that is no object. */
  readonly wrongElement: { readonly index: number; readonly value: unknown } | undefined;
  readonly pagination: unknown;
}

/**
 * Reads the bytes of a page: its records into the reader's columns, the members that are not known past.
 *
 * @throws SyntaxError if the bytes are not JSON in UTF-8
 */
export function readPage(body: Uint8Array, reader: RecordReader): PageFrame {
  const page = new PageReading(body, reader);
  // `TextDecoder` drops a byte-order mark.
  const start = skipSpace(body, body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf ? 3 : 0);
  const end = page.read(start);
  if (end === MALFORMED || skipSpace(body, end) !== body.length || !isUtf8(body)) {
    reader.restart();
    // The body is not quoted: it may hold a person's name.
    throw new SyntaxError(`${body.length} bytes that are not JSON in UTF-8`);
  }
  return page;
}

/** A page that is being read. Of members that come twice the last one counts, as in `JSON.parse`. */
class PageReading implements PageFrame {
  wrongData: PageFrame["wrongData"] = { value: undefined };
  wrongElement: PageFrame["wrongElement"];
  pagination: unknown;
  readonly #body: Uint8Array;
  readonly #json: JsonBytes;
  readonly #reader: RecordReader;

  constructor(body: Uint8Array, reader: RecordReader) {
    this.#body = body;
    this.#json = new JsonBytes(body);
    this.#reader = reader;
  }

  read(start: number): number {
    if (this.#body[start] !== ascii.openBrace) return scanValue(this.#body, start);
    return readMembers(this.#body, start, (name, p) => {
      if (name === "data") return this.#readData(p);
      const end = scanValue(this.#body, p);
      if (name === "pagination" && end !== MALFORMED) this.pagination = jsonAt(this.#body, p, end);
      return end;
    });
  }

  #readData(start: number): number {
    this.#reader.restart();
    this.wrongElement = undefined;
    this.wrongData = undefined;
    if (this.#body[start] === ascii.openBracket) {
      this.#reader.begin(this.#json);
      return readElements(this.#body, start, (_, p) => this.#readElement(p));
    }
    const end = scanValue(this.#body, start);
    if (end !== MALFORMED) this.wrongData = { value: jsonAt(this.#body, start, end) };
    return end;
  }

  #readElement(start: number): number {
    if (this.#body[start] === ascii.openBrace) return this.#reader.read(this.#json, start);
    const end = scanValue(this.#body, start);
    // Before it there are records only.
    if (end !== MALFORMED)
      this.wrongElement ??= { index: this.#reader.rowCount, value: jsonAt(this.#body, start, end) };
    return end;
  }
}
