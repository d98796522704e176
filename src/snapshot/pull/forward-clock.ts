/** A clock that stands still while the one behind it goes back: no step of a pull ends before it began. */
export function forwardClock(now: () => Date): () => Date {
  let last = Number.NEGATIVE_INFINITY;
  return () => {
    last = Math.max(last, now().getTime());
    return new Date(last);
  };
}
