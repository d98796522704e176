import { PageGate } from "./page-gate.js";

/** How far tasks run ahead of their consumer. */
export interface Lookahead {
  /** Tasks that run, or wait finished for an earlier one or for the consumer. */
  readonly tasks: number;
  /** Bounds the tasks that run at once, of this consumer and of others that share it. */
  readonly gate?: PageGate;
}

/**
 * Runs tasks ahead of their consumer and yields the results in the order of the items. An item is taken when its task
 * begins, so there may be any number of them. After a task that failed none begins.
 */
export async function* orderedLookahead<A, B>(
  items: Iterable<A>,
  { tasks, gate = new PageGate(tasks) }: Lookahead,
  run: (item: A) => Promise<B>,
): AsyncGenerator<B, void> {
  const rest = items[Symbol.iterator]();
  const begun: Promise<B>[] = [];
  let running = 0;
  let isOver = false;
  const fill = () => {
    while (!isOver && begun.length < tasks && gate.enter(running)) {
      const item = rest.next();
      if (item.done) {
        gate.leave();
        isOver = true;
        return;
      }
      running += 1;
      const task = run(item.value);
      // Awaited later; until then a failure must not count as unhandled.
      task.then(end, fail);
      begun.push(task);
    }
  };
  const end = () => {
    running -= 1;
    gate.leave();
    fill();
  };
  const fail = () => {
    isOver = true;
    end();
  };
  try {
    for (fill(); begun[0]; fill()) {
      yield await begun[0];
      begun.shift();
    }
  } finally {
    isOver = true;
  }
}
