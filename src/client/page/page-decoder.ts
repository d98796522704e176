import type { Pagination } from "../../api/contract.js";
import type { ResourceName } from "../../api/resources.js";
import { showTimeOrNumber, valueKind } from "../../core/show-record-value.js";
import { protocolError } from "./protocol-error.js";
import type { Pseudonym } from "./pseudonym.js";

/** Id of a record: an integer, or a UUID in lower case. */
export type Id = number | string;

/** Ids of the rows of a page, in order. Ids are created on access, since a log has millions. */
export interface Ids {
  readonly length: number;
  /** The id of a row; undefined beyond the rows. */
  at(row: number): Id | undefined;
  /** Whether the ids of the rows from `start` to before `end` are in strictly ascending order. */
  isAscending(start: number, end: number): boolean;
}

/** Context of a page for its decoder. */
export interface DecodeContext {
  readonly resource: ResourceName;
  readonly url: string;
  /**
   * Handles a contract violation: throws if the read is strict, otherwise records it.
   *
   * @param path JSON path in the page: `$.data[3].geometry`
   */
  readonly onViolation: (path: string, message: string) => void;
  /** Replaces personal values if the read redacts. */
  readonly pseudonym: Pseudonym | undefined;
}

/** A decoded page. Paging uses only `ids` and `pagination`; `content` belongs to the decoder. */
export interface DecodedPage<T> {
  readonly content: T;
  /** Ids of the rows of `content`: all of them, or none if the page counts as empty. */
  readonly ids: Ids;
  readonly pagination: Pagination;
}

/**
 * Converts the bytes of a page to rows: records, typed columns. It copies the bytes that it keeps, since their memory
 * is reused.
 *
 * @throws SyntaxError if the bytes are not JSON, in which case the page is requested again; ProtocolError if the JSON
 * is not a page
 */
export type PageDecoder<T> = (body: Uint8Array, context: DecodeContext) => DecodedPage<T>;

/** Ids in an array. */
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
