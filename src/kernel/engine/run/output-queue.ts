import { StringDecoder } from "node:string_decoder";
import type { MimeBundle } from "../../../tables/display/mime-bundle.js";
import { NoInputError } from "../cell/cell-errors.js";
import type { CellSink, DisplayTarget, Question } from "../cell/language-engine.js";

/** Keeps a cell's output in order if a display takes time, and otherwise passes it on immediately. */
export class OutputQueue implements Required<Omit<CellSink, "paints">> {
  readonly #sink: CellSink;
  readonly #onFailure: (error: unknown) => void;
  readonly #decoders = { stdout: new StringDecoder(), stderr: new StringDecoder() };
  #waiting: Promise<void> | undefined;

  /** @param onFailure called with the error if the sink rejects an output */
  constructor(sink: CellSink, onFailure: (error: unknown) => void) {
    this.#sink = sink;
    this.#onFailure = onFailure;
  }

  /** Output of a stream; its bytes are UTF-8, in which a chunk may end within a character. */
  write(name: "stdout" | "stderr", chunk: Uint8Array | string): void {
    const decoder = this.#decoders[name];
    const text = typeof chunk === "string" ? decoder.end() + chunk : decoder.write(chunk);
    if (text !== "") this.stream(name, text);
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

  /** Resolves when all output so far was passed on, including an incomplete character. */
  async drained(): Promise<void> {
    this.write("stdout", "");
    this.write("stderr", "");
    while (this.#waiting) {
      const waiting = this.#waiting;
      await waiting;
      if (this.#waiting === waiting) this.#waiting = undefined;
    }
  }

  #addBundle(bundle: MimeBundle | Promise<MimeBundle>, deliver: (ready: MimeBundle) => void): void {
    if (bundle instanceof Promise) {
      this.#waiting = Promise.all([bundle, this.#waiting]).then(([ready]) => this.#deliver(() => deliver(ready)));
    } else {
      this.#add(() => deliver(bundle));
    }
  }

  #add(deliver: () => void): void {
    if (this.#waiting) this.#waiting = this.#waiting.then(() => this.#deliver(deliver));
    else this.#deliver(deliver);
  }

  #deliver(deliver: () => void): void {
    try {
      deliver();
    } catch (error) {
      this.#onFailure(error);
    }
  }
}
