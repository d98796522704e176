/**
 * The tie rule of the log: changes count in the order of `(created_at, id)`. Of two changes made at one time, the one
 * with the greater id is the later one.
 *
 * A log keeps its changes in the order of their ids, which is that of insertion: `insertion-order.ts` sees to it. So within a
 * log the position of a change stands for its id: `isLater` compares by it (`valid-order.ts`), and a sort by time alone
 * keeps the rule if it leaves equal times in the order of positions (`sort-by-time.ts`).
 *
 * @returns whether the change at one position of a log is later than the one at another
 */
export function isLater(timesUs: Float64Array, position: number, other: number): boolean {
  const us = timesUs[position] ?? 0;
  const otherUs = timesUs[other] ?? 0;
  return us > otherUs || (us === otherUs && position > other);
}
