import type { CellSink, DisplayTarget } from "../../kernel/engine/cell/language-engine.js";
import type { MimeBundle } from "../../tables/display/bundle/mime-bundle.js";
import type { Output } from "../file/notebook.js";

/** Where displays with an id are, so that any cell can replace them. */
type Displays = Map<string, { readonly outputs: Output[]; readonly index: number }[]>;

/** Gathers a notebook's outputs, cell by cell, as nbformat wants them. */
export class OutputCollector {
  readonly #displays: Displays = new Map();

  startCell(): CellOutputs {
    return new CellOutputs(this.#displays);
  }
}

/** The outputs of one cell, also those that come after its end. */
export class CellOutputs implements CellSink {
  readonly #displays: Displays;
  readonly #outputs: Output[] = [];

  constructor(displays: Displays) {
    this.#displays = displays;
  }

  /** What was gathered; it grows. */
  get outputs(): readonly Output[] {
    return this.#outputs;
  }

  stream(name: "stdout" | "stderr", text: string): void {
    const last = this.#outputs.at(-1);
    if (last?.output_type === "stream" && last.name === name) {
      this.#outputs[this.#outputs.length - 1] = { ...last, text: last.text + text };
    } else {
      this.#outputs.push({ output_type: "stream", name, text });
    }
  }

  display(bundle: MimeBundle, target?: DisplayTarget): void {
    const output: Output = { output_type: "display_data", data: bundle, metadata: {} };
    if (target?.update) {
      for (const { outputs, index } of this.#displays.get(target.id) ?? []) outputs[index] = output;
      return;
    }
    const index = this.#outputs.push(output) - 1;
    if (!target) return;
    const shown = this.#displays.get(target.id) ?? [];
    this.#displays.set(target.id, [...shown, { outputs: this.#outputs, index }]);
  }

  /** Whether the next output comes soon, which `wait` is about, does not matter in a file. */
  clear(): void {
    this.#outputs.length = 0;
    for (const [id, shown] of this.#displays) {
      this.#displays.set(
        id,
        shown.filter(({ outputs }) => outputs !== this.#outputs),
      );
    }
  }

  add(output: Output): void {
    this.#outputs.push(output);
  }

  /** Replaces what was added, unless it has gone meanwhile. */
  replace(output: Output, by: Output): void {
    const index = this.#outputs.indexOf(output);
    if (index !== -1) this.#outputs[index] = by;
  }
}
