/**
 * Runs tasks ahead of their consumer and yields the results in the order of the items.
 *
 * @param lookahead tasks that may run or wait finished; the consumer's pace holds back the rest
 */
export async function* orderedLookahead<A, B>(
  items: Iterable<A>,
  lookahead: number,
  run: (item: A) => Promise<B>,
): AsyncGenerator<B, void> {
  const rest = items[Symbol.iterator]();
  const running: Promise<B>[] = [];
  const fill = () => {
    while (running.length < lookahead) {
      const item = rest.next();
      if (item.done) return;
      const task = run(item.value);
      // Awaited later; until then a failure must not count as unhandled.
      task.catch(() => {});
      running.push(task);
    }
  };
  for (;;) {
    fill();
    const head = running.shift();
    if (!head) return;
    yield await head;
  }
}
