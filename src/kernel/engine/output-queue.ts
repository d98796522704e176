import type { MimeBundle } from "../../display/mime-bundle.js";
import type { CellSink, DisplayTarget } from "./language-engine.js";

/** Keeps a cell's output in order when a display takes time, and passes it on at once otherwise. */
export class OutputQueue implements CellSink {
  readonly #sink: CellSink;
  #waiting: Promise<void> | undefined;

  constructor(sink: CellSink) {
    this.#sink = sink;
  }

  stream(name: "stdout" | "stderr", text: string): void {
    this.#add(() => this.#sink.stream(name, text));
  }

  display(bundle: MimeBundle | Promise<MimeBundle>, target?: DisplayTarget): void {
    if (bundle instanceof Promise) {
      this.#waiting = Promise.all([bundle, this.#waiting]).then(([ready]) => this.#sink.display(ready, target));
    } else {
      this.#add(() => this.#sink.display(bundle, target));
    }
  }

  /** Resolves when everything so far was passed on. */
  async drained(): Promise<void> {
    while (this.#waiting) {
      const waiting = this.#waiting;
      await waiting;
      if (this.#waiting === waiting) this.#waiting = undefined;
    }
  }

  #add(deliver: () => void): void {
    if (this.#waiting) this.#waiting = this.#waiting.then(deliver);
    else deliver();
  }
}
