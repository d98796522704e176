import { setImmediate } from "node:timers/promises";
import type { Slice } from "../sweep/slice.js";

/** Rows that are joined before others get their turn. */
const AT_A_TIME = 200_000;

/** The rows of slices one after the other. Millions of them do not hold up what else the process does. */
export async function joinRows<T>(slices: readonly Slice<readonly T[]>[]): Promise<readonly T[]> {
  const rows: T[] = [];
  let next = AT_A_TIME;
  for (const { content, start, end } of slices) {
    for (const row of content.slice(start, end)) rows.push(row);
    if (rows.length < next) continue;
    next = rows.length + AT_A_TIME;
    await setImmediate();
  }
  return rows;
}
