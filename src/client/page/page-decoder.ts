import type { Pagination } from "../../api/page.js";
import type { ResourceName } from "../../api/resources.js";
import { showTimeOrNumber, valueKind } from "../../core/show-record-value.js";
import { protocolError } from "./protocol-error.js";
import type { Pseudonym } from "./pseudonym.js";

/** Identifier of a record: an integer, or a UUID in lower case. */
export type Id = number | string;

/** The ids of the rows of a page, in the order of the page. An id is made when it is asked for: a log has millions. */
export interface Ids {
  readonly length: number;
  /** undefined beyond the rows. */
  at(row: number): Id | undefined;
  /** Whether the ids of the rows from `start` to before `end` are in strictly ascending order. */
  isAscending(start: number, end: number): boolean;
}

/** What a decoder is told of the page that it decodes. */
export interface DecodeContext {
  readonly resource: ResourceName;
  readonly url: string;
  /**
   * Takes a record's breach of the contract: throws if the read is strict, notes it otherwise.
   *
   * @param path JSON path in the page: `$.data[3].geometry`
   */
  readonly onViolation: (path: string, message: string) => void;
  /** Replaces values of the contract's personal fields, if the read redacts. */
  readonly pseudonym: Pseudonym | undefined;
}

/** One page, decoded. Paging looks at `ids` and `pagination` alone; `content` is the decoder's own. */
export interface DecodedPage<T> {
  readonly content: T;
  /** The ids of the rows of `content`: of all of them, or of none where the page is empty, whatever its content holds. */
  readonly ids: Ids;
  readonly pagination: Pagination;
}

/**
 * Turns the bytes of a page into rows of some form: records, typed columns. What it keeps of the bytes it copies: their
 * memory is used again.
 *
 * @throws SyntaxError if the bytes are not JSON, in which case the page is asked for again; ProtocolError if they
 * are, but not a page
 */
export type PageDecoder<T> = (body: Uint8Array, context: DecodeContext) => DecodedPage<T>;

/** Ids that are at hand. */
export class IdList implements Ids {
  readonly #ids: readonly Id[];

  constructor(ids: readonly Id[]) {
    this.#ids = ids;
  }

  get length(): number {
    return this.#ids.length;
  }

  at(row: number): Id | undefined {
    return this.#ids[row];
  }

  isAscending(start: number, end: number): boolean {
    for (let row = start + 1; row < end; row += 1) {
      const [before, id] = [this.#ids[row - 1], this.#ids[row]];
      if (before !== undefined && id !== undefined && before >= id) return false;
    }
    return true;
  }
}

const least: Readonly<Record<keyof Pagination, number>> = { page: 1, pageSize: 1, rowCount: 0, pageCount: 0 };

/**
 * Checks the pagination object of a page. Specification: Pagination object.
 *
 * @throws ProtocolError
 */
export function readPagination(value: unknown, url: string): Pagination {
  if (typeof value !== "object" || value === null) {
    throw protocolError(url, "$.pagination", `expected an object, got ${valueKind(value)}`);
  }
  const given = value as Readonly<Record<string, unknown>>;
  const read = (name: keyof Pagination) => {
    const count = given[name];
    if (typeof count === "number" && Number.isSafeInteger(count) && count >= least[name]) return count;
    throw protocolError(
      url,
      `$.pagination.${name}`,
      `expected an integer from ${least[name]}, got ${showTimeOrNumber(count)}`,
    );
  };
  return { page: read("page"), pageSize: read("pageSize"), rowCount: read("rowCount"), pageCount: read("pageCount") };
}
