import { type Field, type FilterParameter, LARGEST_PAGE, type PageSizeRule, type SortRule } from "../contract.js";

/** Where the specification shows page sizes, they are these. */
export const shownPageSize: PageSizeRule = { default: 10, max: LARGEST_PAGE };

/** Where it shows none. */
export const unshownPageSize: PageSizeRule = { default: null, max: null };

/** Where it shows no order. */
export const unshownSort: SortRule = { fields: [], complete: false, properties: false, default: null };

/** A filter that takes integers. */
export const integers = (description: string) => ({ kind: "integer", description }) as const satisfies FilterParameter;

/** The id of most records. */
export const integerId = { type: "integer", nullable: false, description: "Identifier." } as const satisfies Field;

/** The id of definitions and changes. */
export const uuidId = { type: "uuid", nullable: false, description: "Identifier." } as const satisfies Field;
