import type { Id } from "./page-decoder.js";

/** Whether ids are in strictly ascending order. */
export function isAscending(ids: readonly Id[]): boolean {
  return ids.every((id, index) => {
    const before = ids[index - 1];
    return before === undefined || before < id;
  });
}
