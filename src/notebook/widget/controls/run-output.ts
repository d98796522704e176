import type { MimeBundle } from "../../../tables/display/bundle/mime-bundle.js";
import type { LiveKernel } from "../../../tables/display/live-kernel.js";
import { toMimeBundle } from "../../../tables/display/to-mime-bundle.js";
import type { Output } from "../../file/notebook.js";
import { renderOutput } from "../../page/render-output.js";
import type { WidgetStill } from "../model/widget-bundle.js";

/** Characters of a run's text that are kept. */
const mostText = 200_000;

/** What one run showed. */
export interface RunStill extends WidgetStill {
  /** What it gave: held, so that a table in it can be asked for rows as long as it is shown. */
  readonly value: unknown;
}

/** What one run of a function printed, showed and gave, as the page shows it. */
class RunOutput {
  readonly #outputs: Output[] = [];
  #left = mostText;
  #value: unknown;

  stream(name: "stdout" | "stderr", text: string): void {
    const kept = text.slice(0, this.#left);
    this.#left -= kept.length;
    const last = this.#outputs.at(-1);
    if (last?.output_type === "stream" && last.name === name) this.#outputs.pop();
    const before = last?.output_type === "stream" && last.name === name ? last.text : "";
    this.#outputs.push({ output_type: "stream", name, text: `${before}${kept}` });
  }

  display(data: MimeBundle): void {
    this.#outputs.push({ output_type: "display_data", data, metadata: {} });
  }

  clear(): void {
    this.#outputs.length = 0;
  }

  fail(traceback: readonly string[]): void {
    this.#outputs.push({ output_type: "error", ename: "", evalue: "", traceback });
  }

  async give(value: unknown): Promise<void> {
    this.#value = value;
    if (value !== undefined) this.display(await toMimeBundle(value));
  }

  get still(): RunStill {
    const html = this.#outputs.map(renderOutput).join("\n");
    return { html, text: this.#outputs.map(textOf).join("\n"), value: this.#value };
  }
}

/**
 * Runs a function once, as a cell: an interrupt ends it, and an error is shown as a cell shows it.
 *
 * @param onEnd called once, with what is to be shown, also when an interrupt has torn down whoever called
 */
export function runAsCell(kernel: LiveKernel, run: () => unknown, onEnd: (shown: RunStill) => void): void {
  const output = new RunOutput();
  kernel.callBack(
    () => showResult(run, output),
    output,
    (end) => {
      if (end.status === "error") output.fail(end.error.traceback);
      onEnd(output.still);
    },
  );
}

/** The same where there is no kernel: what the function prints is printed, and its errors are the caller's. */
export async function runInScript(run: () => unknown): Promise<RunStill> {
  const output = new RunOutput();
  await showResult(run, output);
  return output.still;
}

async function showResult(run: () => unknown, output: RunOutput): Promise<void> {
  await output.give(await run());
}

function textOf(output: Output): string {
  if (output.output_type === "stream") return output.text.trimEnd();
  return output.output_type === "error" ? output.traceback.join("\n") : String(output.data["text/plain"]);
}
