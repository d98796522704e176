import type { Slice } from "./slice.js";

/**
 * Rows in ascending order of id, each once: as slices as long as can be, so that whole stretches of a page can be
 * copied at once. Of rows with the same id the first is kept.
 */
export function mergeSlices<T>(slices: readonly Slice<T>[]): readonly Slice<T>[] {
  return isMerged(slices) ? slices : joinRuns(sortedRows(slices));
}

function isMerged(slices: readonly Slice<unknown>[]): boolean {
  return slices.every((slice, index) => {
    const last = index > 0 ? slices[index - 1] : undefined;
    return slice.ids.isAscending(slice.start, slice.end) && (!last || isBelow(last, slice));
  });
}

function isBelow(before: Slice<unknown>, after: Slice<unknown>): boolean {
  const [last, first] = [before.ids.at(before.end - 1), after.ids.at(after.start)];
  return last !== undefined && first !== undefined && last < first;
}

interface Row<T> {
  readonly slice: Slice<T>;
  readonly id: number | string;
  readonly index: number;
}

function sortedRows<T>(slices: readonly Slice<T>[]): readonly Row<T>[] {
  const rows: Row<T>[] = [];
  for (const slice of slices) {
    for (let index = slice.start; index < slice.end; index += 1) {
      const id = slice.ids.at(index);
      if (id !== undefined) rows.push({ slice, id, index });
    }
  }
  rows.sort((a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0));
  return rows.filter((row, index) => index === 0 || rows[index - 1]?.id !== row.id);
}

function joinRuns<T>(rows: readonly Row<T>[]): readonly Slice<T>[] {
  const runs: Slice<T>[] = [];
  let last: { slice: Slice<T>; start: number; end: number } | undefined;
  for (const { slice, index } of rows) {
    if (last && last.slice === slice && last.end === index) {
      last.end += 1;
      continue;
    }
    if (last) runs.push({ ...last.slice, start: last.start, end: last.end });
    last = { slice, start: index, end: index + 1 };
  }
  if (last) runs.push({ ...last.slice, start: last.start, end: last.end });
  return runs;
}
