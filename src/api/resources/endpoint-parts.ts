import { type FilterParameter, LARGEST_PAGE, type PageSizeRule, type SortRule } from "../form/endpoint.js";

/** Where the specification shows page sizes, they are these. */
export const shownPageSize: PageSizeRule = { default: 10, max: LARGEST_PAGE };

/** Where it shows none. */
export const unshownPageSize: PageSizeRule = { default: null, max: null };

/** Where it shows no order. */
export const unshownSort: SortRule = { fields: [], complete: false, properties: false, default: null };

/** A filter that takes integers. */
export const integers = (description: string) => ({ kind: "integer", description }) as const satisfies FilterParameter;
