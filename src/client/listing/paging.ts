import type { Endpoint } from "../../api/endpoint.js";
import type { BadRequestError } from "../../core/errors.js";

/** What is asked of an endpoint besides its filters. */
export interface Terms {
  /** Rows in one page; undefined leaves it to the service. */
  readonly pageSize: number | undefined;
  /** Whether rows are asked for in ascending order of id. */
  readonly byId: boolean;
}

/** The largest page that the specification shows anywhere. */
const LARGEST = 10_000;
const LADDER = [5000, 2000, 1000, 500, 200, 100, 50, 20, 10];
/** Pages are not cut smaller than this for being too much for the service. */
const SMALLEST = 100;

/** The terms to begin with: the largest page allowed or imaginable, in order of id. */
export function firstTerms(endpoint: Endpoint, pageSize: number | undefined): Terms {
  return { pageSize: Math.min(pageSize ?? LARGEST, endpoint.pageSize.max ?? Number.POSITIVE_INFINITY), byId: true };
}

/**
 * Humbler terms after the service refused these with 400, where the specification leaves room: it may refuse a
 * page size whose maximum it does not show, and an order by id that it does not list.
 *
 * A body that blames neither and names no filter leaves open what was wrong; then the order is given up first, the
 * page size last.
 *
 * @returns undefined if the query itself is at fault
 */
export function humblerTerms(terms: Terms, endpoint: Endpoint, refused: BadRequestError): Terms | undefined {
  const blamed = blame(endpoint, refused.body);
  const sortOpen = terms.byId && !endpoint.sort.complete;
  const sizeOpen = terms.pageSize !== undefined && endpoint.pageSize.max === null;
  if (blamed === "sort") return sortOpen ? { ...terms, byId: false } : undefined;
  if (blamed === "pageSize") return sizeOpen ? { ...terms, pageSize: rungsBelow(terms.pageSize ?? 0)[0] } : undefined;
  if (blamed === "filter") return undefined;
  if (sortOpen) return { ...terms, byId: false };
  return sizeOpen ? { ...terms, pageSize: undefined } : undefined;
}

/** What to remember of terms that the service accepted: a page size only if it is not the one that was wanted. */
export function acceptedTerms(accepted: Terms, wanted: Terms): Terms {
  return accepted.pageSize === wanted.pageSize ? { ...accepted, pageSize: LARGEST } : accepted;
}

/** Smaller pages after these were too much for the service; undefined if they are small already. */
export function smallerTerms(terms: Terms): Terms | undefined {
  if (terms.pageSize === undefined || terms.pageSize <= SMALLEST) return undefined;
  return { ...terms, pageSize: Math.max(SMALLEST, Math.ceil(terms.pageSize / 4)) };
}

/** Page sizes to try after one was refused, largest first. */
export function rungsBelow(pageSize: number): readonly number[] {
  return LADDER.filter((rung) => rung < pageSize);
}

function blame(endpoint: Endpoint, body: string): "pageSize" | "sort" | "filter" | "nothing" {
  if (/page_?\s?size/i.test(body)) return "pageSize";
  if (/sort/i.test(body)) return "sort";
  return Object.keys(endpoint.filters).some((name) => body.includes(name)) ? "filter" : "nothing";
}
