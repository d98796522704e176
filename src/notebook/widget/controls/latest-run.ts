/** Starts one run for a value, and calls `onEnd` when it has ended. */
export type StartRun<Value> = (value: Value, onEnd: () => void) => void;

/** Runs one after the other. Of the values that are asked for meanwhile, only the last one is computed. */
export class LatestRun<Value> {
  readonly #start: StartRun<Value>;
  #wanted: { readonly value: Value } | undefined;
  #running = false;
  #waiting: (() => void)[] = [];

  constructor(start: StartRun<Value>) {
    this.#start = start;
  }

  /** Resolves when nothing is left to compute. */
  ask(value: Value): Promise<void> {
    this.#wanted = { value };
    const done = new Promise<void>((resolve) => this.#waiting.push(resolve));
    if (!this.#running) this.#next();
    return done;
  }

  #next(): void {
    const wanted = this.#wanted;
    this.#wanted = undefined;
    this.#running = wanted !== undefined;
    if (wanted) this.#start(wanted.value, () => this.#next());
    else for (const resolve of this.#waiting.splice(0)) resolve();
  }
}
