import type { Ids } from "../page/page-decoder.js";

/** Limits of tasks that run ahead of their consumer. */
export interface Lookahead {
  /** Maximum tasks that run, or that are finished and wait for an earlier one or for the consumer. */
  readonly tasks: number;
  /** Limits the tasks that run at once, of all consumers that share it. */
  readonly gate?: PageSemaphore;
}

/**
 * Runs tasks ahead of their consumer and yields the results in the order of the items. Items are read when their tasks
 * begin, so there can be any number. No task begins after a failure.
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
      // Awaited later; a failure must not count as unhandled until then.
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

/** Maximum tasks at once for all users of the gate. */
export class PageSemaphore {
  readonly #most: number;
  #underWay = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /**
   * Starts a task if there is room. A caller without running tasks is always let in, to avoid a deadlock.
   *
   * @param index running tasks of the caller
   */
  enter(index: number): boolean {
    if (index > 0 && this.#underWay >= this.#most) return false;
    this.#underWay += 1;
    return true;
  }

  /** Ends a task. */
  leave(): void {
    this.#underWay -= 1;
  }
}
