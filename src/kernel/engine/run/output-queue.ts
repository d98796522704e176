import type { MimeBundle } from "../../../display/bundle/mime-bundle.js";
import { NoInputError } from "../cell/cell-errors.js";
import type { CellSink, DisplayTarget, Question } from "../cell/language-engine.js";

/** Keeps a cell's output in order when a display takes time, and passes it on at once otherwise. */
export class OutputQueue implements Required<CellSink> {
  readonly #sink: CellSink;
  #waiting: Promise<void> | undefined;

  constructor(sink: CellSink) {
    this.#sink = sink;
  }

  stream(name: "stdout" | "stderr", text: string): void {
    this.#add(() => this.#sink.stream(name, text));
  }

  display(bundle: MimeBundle | Promise<MimeBundle>, target?: DisplayTarget): void {
    this.#addBundle(bundle, (ready) => this.#sink.display(ready, target));
  }

  page(bundle: MimeBundle | Promise<MimeBundle>): void {
    this.#addBundle(bundle, (ready) => this.#sink.page?.(ready));
  }

  clear(wait: boolean): void {
    this.#add(() => this.#sink.clear?.(wait));
  }

  async input(question: Question): Promise<string> {
    await this.drained();
    if (!this.#sink.input) throw new NoInputError();
    return this.#sink.input(question);
  }

  /** Resolves when everything so far was passed on. */
  async drained(): Promise<void> {
    while (this.#waiting) {
      const waiting = this.#waiting;
      await waiting;
      if (this.#waiting === waiting) this.#waiting = undefined;
    }
  }

  #addBundle(bundle: MimeBundle | Promise<MimeBundle>, deliver: (ready: MimeBundle) => void): void {
    if (bundle instanceof Promise) {
      this.#waiting = Promise.all([bundle, this.#waiting]).then(([ready]) => deliver(ready));
    } else {
      this.#add(() => deliver(bundle));
    }
  }

  #add(deliver: () => void): void {
    if (this.#waiting) this.#waiting = this.#waiting.then(deliver);
    else deliver();
  }
}
