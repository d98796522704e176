import type { Ids } from "../page/page-decoder.js";

/** Rows of a page, from `start` to before `end`. */
export interface Slice<T> {
  readonly content: T;
  readonly ids: Ids;
  readonly start: number;
  readonly end: number;
}
