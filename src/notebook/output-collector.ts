import type { MimeBundle } from "../display/mime-bundle.js";
import type { CellSink, DisplayTarget } from "../kernel/engine/language-engine.js";
import type { Output } from "./notebook.js";

/** Gathers a notebook's outputs, cell by cell, as nbformat wants them. */
export class OutputCollector implements CellSink {
  readonly #displays = new Map<string, { outputs: Output[]; index: number }[]>();
  #current: Output[] = [];

  /** Starts the outputs of the next cell, which are returned and then filled. */
  startCell(): readonly Output[] {
    this.#current = [];
    return this.#current;
  }

  stream(name: "stdout" | "stderr", text: string): void {
    const last = this.#current.at(-1);
    if (last?.output_type === "stream" && last.name === name) {
      this.#current[this.#current.length - 1] = { ...last, text: last.text + text };
    } else {
      this.#current.push({ output_type: "stream", name, text });
    }
  }

  display(bundle: MimeBundle, target?: DisplayTarget): void {
    const output: Output = { output_type: "display_data", data: bundle, metadata: {} };
    if (target?.update) {
      for (const { outputs, index } of this.#displays.get(target.id) ?? []) outputs[index] = output;
      return;
    }
    const index = this.#current.push(output) - 1;
    if (!target) return;
    const shown = this.#displays.get(target.id) ?? [];
    this.#displays.set(target.id, [...shown, { outputs: this.#current, index }]);
  }

  /** Whether the next output comes soon, which `wait` is about, does not matter in a file. */
  clear(): void {
    this.#current.length = 0;
  }

  add(output: Output): void {
    this.#current.push(output);
  }
}
