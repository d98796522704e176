import type { Ids } from "../page/page-decoder.js";

/** How far tasks run ahead of their consumer. */
export interface Lookahead {
  /** Tasks that run, or wait finished for an earlier one or for the consumer. */
  readonly tasks: number;
  /** Bounds the tasks that run at once, of this consumer and of others that share it. */
  readonly gate?: PageSemaphore;
}

/**
 * Runs tasks ahead of their consumer and yields the results in the order of the items. An item is taken when its task
 * begins, so there may be any number of them. After a task that failed none begins.
 */
export async function* orderedLookahead<A, B>(
  items: Iterable<A>,
  { tasks, gate = new PageSemaphore(tasks) }: Lookahead,
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

/** Rows of a page, from `start` to before `end`. */
export interface Slice<T> {
  readonly content: T;
  readonly ids: Ids;
  readonly start: number;
  readonly end: number;
}

/** How many tasks may be under way at once, for whoever shares the gate. */
export class PageSemaphore {
  readonly #most: number;
  #underWay = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /**
   * Lets a task begin if there is room. Who has none under way is always let in: it could not go on otherwise.
   *
   * @param own tasks that the caller has under way
   */
  enter(own: number): boolean {
    if (own > 0 && this.#underWay >= this.#most) return false;
    this.#underWay += 1;
    return true;
  }

  /** Says that a task has ended. */
  leave(): void {
    this.#underWay -= 1;
  }
}
