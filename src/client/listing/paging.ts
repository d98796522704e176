import type { Endpoint } from "../../api/endpoints.js";
import { LARGEST_PAGE } from "../../api/form/endpoint.js";
import type { BadRequestError } from "../../core/errors.js";

/** What is asked of an endpoint besides its filters. */
export interface Paging {
  /** Rows in one page; undefined leaves it to the service. */
  readonly pageSize: number | undefined;
  /** Whether rows are asked for in ascending order of id. */
  readonly byId: boolean;
}

const LADDER = [5000, 2000, 1000, 500, 200, 100, 50, 20, 10];
/** Pages are not cut smaller than this for being too much for the service. */
const SMALLEST = 100;

/** The paging to begin with: the largest page allowed or imaginable, in order of id. */
export function firstPaging(endpoint: Endpoint, pageSize: number | undefined): Paging {
  return {
    pageSize: Math.min(pageSize ?? LARGEST_PAGE, endpoint.pageSize.max ?? Number.POSITIVE_INFINITY),
    byId: true,
  };
}

/**
 * Humbler paging after the service refused these with 400, where the specification leaves room: it may refuse a
 * page size whose maximum it does not show, and an order by id that it does not list.
 *
 * A body that blames neither and names no filter leaves open what was wrong; then the order is given up first, the
 * page size last.
 *
 * @returns undefined if the query itself is at fault
 */
export function humblerPaging(paging: Paging, endpoint: Endpoint, refused: BadRequestError): Paging | undefined {
  const blamed = blame(endpoint, refused.body);
  const sortOpen = paging.byId && !endpoint.sort.complete;
  const sizeOpen = paging.pageSize !== undefined && endpoint.pageSize.max === null;
  if (blamed === "sort") return sortOpen ? { ...paging, byId: false } : undefined;
  if (blamed === "pageSize") return sizeOpen ? { ...paging, pageSize: rungsBelow(paging.pageSize ?? 0)[0] } : undefined;
  if (blamed === "filter") return undefined;
  if (sortOpen) return { ...paging, byId: false };
  return sizeOpen ? { ...paging, pageSize: undefined } : undefined;
}

/** What to remember of terms that the service accepted: a page size only if it is not the one that was wanted. */
export function acceptedPaging(accepted: Paging, wanted: Paging): Paging {
  return accepted.pageSize === wanted.pageSize ? { ...accepted, pageSize: LARGEST_PAGE } : accepted;
}

/** Smaller pages after these were too much for the service; undefined if they are small already. */
export function smallerPaging(paging: Paging): Paging | undefined {
  if (paging.pageSize === undefined || paging.pageSize <= SMALLEST) return undefined;
  return { ...paging, pageSize: Math.max(SMALLEST, Math.ceil(paging.pageSize / 4)) };
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
