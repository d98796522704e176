import { readFileSync } from "node:fs";
import { ArgumentError } from "../../../core/errors.js";
import { showValue } from "../../../core/show-value.js";
import { tableStyle } from "../../../tables/display/html/render-table.js";
import { type LiveKernel, liveKernel } from "../../../tables/display/live-kernel.js";
import { displaySymbol, type MimeBundle } from "../../../tables/display/mime-bundle.js";
import { escapeHtml } from "../../../tables/display/text.js";
import { toMimeBundle } from "../../../tables/display/to-mime-bundle.js";
import { viewStyle } from "../../../tables/display/view.js";
import type { Output } from "../../file/notebook.js";
import { renderOutput } from "../../page/render-output.js";
import { anywidgetFields, liveModels, type WidgetFallback, WidgetModel, widgetBundle } from "../model/widget-model.js";

/** Maximum characters of a run's output. */
const mostText = 200_000;

/** Result of one run. */
interface RunResult extends WidgetFallback {
  /** Return value, kept so that a table in it can return rows while it is displayed. */
  readonly value: unknown;
}

/** Output and result of one run of a function, as displayed in the page. */
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

  get fallback(): RunResult {
    const html = this.#outputs.map((output) => renderOutput(output)).join("\n");
    return { html, text: this.#outputs.map(textOf).join("\n"), value: this.#value };
  }
}

/** Starts one run for a value, and calls `onEnd` when it has ended. */
type StartRun<Value> = (value: Value, onEnd: () => void) => void;

/** Runs one after the other. If values are requested meanwhile, only the last one is computed. */
class LatestRun<Value> {
  readonly #start: StartRun<Value>;
  #requested: { readonly value: Value } | undefined;
  #running = false;
  #waiting: (() => void)[] = [];

  constructor(start: StartRun<Value>) {
    this.#start = start;
  }

  /** Resolves when nothing is left to compute. */
  ask(value: Value): Promise<void> {
    this.#requested = { value };
    const done = new Promise<void>((resolve) => this.#waiting.push(resolve));
    if (!this.#running) this.#next();
    return done;
  }

  #next(): void {
    const requested = this.#requested;
    this.#requested = undefined;
    this.#running = requested !== undefined;
    if (requested) this.#start(requested.value, () => this.#next());
    else for (const resolve of this.#waiting.splice(0)) resolve();
  }
}

/** A control in the page that runs a function with its value, and shows the result. */
export interface Control<Value> {
  /** Current value. */
  readonly value: Value;
  /**
   * Selects a value, as in the page.
   *
   * @param value a value of the control
   * @returns a promise that resolves when the function has run with it
   * @throws ArgumentError for another value
   */
  set(value: Value): Promise<void>;
  /** Closes the control: pages remove it, and it is displayed as its fallback. */
  close(): void;
  /** The control for a page with anywidget; for others its value and the result of the function. */
  [displaySymbol](): Promise<MimeBundle>;
}

/** The values of a control. */
export interface Choice<Value> {
  /** Name of the call: `slider()`. */
  readonly call: string;
  readonly label: string;
  /** State for drawing the control in the page. */
  readonly state: Readonly<Record<string, unknown>>;
  /** Position of the first value, in the page's terms. */
  readonly start: string | number;
  /** The value at a position sent by the page; undefined if invalid. */
  valueAt(at: unknown): { readonly value: Value } | undefined;
  /** The position of a value; undefined for another value. */
  placeOf(value: Value): string | number | undefined;
  /** A value in words. */
  textOf(value: Value): string;
  /** The same for a control that cannot be changed. Default: `textOf()`. */
  fallbackOf?(value: Value): string;
  /** HTML above the output of the function, for all values. */
  head?(): Promise<string>;
}

/** Creates a control. */
export function createControl<Value>(choice: Choice<Value>, run: (value: Value) => unknown): Control<Value> {
  if (typeof run !== "function") {
    throw new ArgumentError(`${choice.call} needs a function, got ${showValue(run)}.`, {
      hint: "Pass it as the second argument: (value) => layer.table.slice(0, 5).",
    });
  }
  return new OpenControl(choice, run);
}

/**
 * Runs a function once, as a cell: an interrupt ends it, and an error is displayed as that of a cell.
 *
 * @param onEnd called once with the result, even if an interrupt has ended the caller
 */
function runAsCell(kernel: LiveKernel, run: () => unknown, onEnd: (result: RunResult) => void): void {
  const output = new RunOutput();
  kernel.callBack(
    () => showResult(run, output),
    output,
    (end) => {
      if (end.status === "error") output.fail(end.error.traceback);
      onEnd(output.fallback);
    },
  );
}

/** The same without a kernel: output is printed, and errors are thrown to the caller. */
async function runInScript(run: () => unknown): Promise<RunResult> {
  const output = new RunOutput();
  await showResult(run, output);
  return output.fallback;
}

async function showResult(run: () => unknown, output: RunOutput): Promise<void> {
  await output.give(await run());
}

function textOf(output: Output): string {
  if (output.output_type === "stream") return output.text.trimEnd();
  return output.output_type === "error" ? output.traceback.join("\n") : String(output.data["text/plain"]);
}

/** Code of the page, and the style of outputs: outputs contain none, since it would apply to the whole page. */
function pageFields(): Readonly<Record<string, string>> {
  const read = (file: string) =>
    readFileSync(new URL(`../../../../dist/notebook/widget/page/${file}`, import.meta.url), "utf8");
  const style = [read("control.css"), tableStyle(), viewStyle()].join("\n");
  return { ...anywidgetFields, _anywidget_id: "siteframe.control", _esm: read("control.js"), _css: style };
}

interface Wanted<Value> {
  readonly value: Value;
  readonly kernel: LiveKernel;
}

class OpenControl<Value> implements Control<Value> {
  readonly #choice: Choice<Value>;
  readonly #run: (value: Value) => unknown;
  readonly #model: WidgetModel;
  readonly #runs = new LatestRun<Wanted<Value>>((requested, onEnd) => this.#start(requested, onEnd));
  #value: Value;
  #lastRun: RunResult | undefined;
  #closed = false;

  constructor(choice: Choice<Value>, run: (value: Value) => unknown) {
    const first = choice.valueAt(choice.start);
    if (!first) throw new ArgumentError(`${choice.call}: the first value is missing.`);
    this.#choice = choice;
    this.#run = run;
    this.#value = first.value;
    const state = {
      ...choice.state,
      label: choice.label,
      at: choice.start,
      head: "",
      html: "",
      busy: false,
      views: {},
    };
    this.#model = new WidgetModel(pageFields(), state);
    this.#model.onChange(({ at }) => (at === undefined ? undefined : this.#choose(at)));
    this.#model.onMessage((message) => this.#answerTable(message));
  }

  get value(): Value {
    return this.#value;
  }

  async set(value: Value): Promise<void> {
    const at = this.#choice.placeOf(value);
    const { call, textOf } = this.#choice;
    if (at === undefined) throw new ArgumentError(`${call}: unknown value ${showValue(textOf(value))}.`);
    this.#model.set({ at });
    await this.#choose(at);
  }

  close(): void {
    this.#closed = true;
    const kernel = liveKernel();
    if (kernel) liveModels(kernel).close(this.#model);
  }

  async [displaySymbol](): Promise<MimeBundle> {
    if (!this.#lastRun) await this.#compute(this.#value);
    const { html = "", text = "" } = this.#lastRun ?? {};
    const { label, textOf, fallbackOf = textOf } = this.#choice;
    const head = (await this.#choice.head?.()) ?? "";
    this.#model.set({ head });
    const line = [label, fallbackOf(this.#value)].filter(Boolean).join(": ");
    return widgetBundle(
      this.#model,
      { html: `${head}<p><b>${escapeHtml(line)}</b></p>${html}`, text: `${line}\n${text}` },
      this.#closed,
    );
  }

  /** Incomplete input from the page while the user types is ignored. */
  #choose(at: unknown): Promise<void> | undefined {
    const chosen = this.#choice.valueAt(at);
    if (!chosen) return undefined;
    this.#value = chosen.value;
    return this.#compute(chosen.value);
  }

  async #compute(value: Value): Promise<void> {
    const kernel = liveKernel();
    if (kernel) await this.#runs.ask({ value, kernel });
    else this.#show(await runInScript(() => this.#run(value)));
  }

  #start({ value, kernel }: Wanted<Value>, onEnd: () => void): void {
    // Assigned to a variable named as in stack traces.
    const run = this.#run;
    this.#model.set({ busy: true });
    runAsCell(
      kernel,
      () => run(value),
      (fallback) => {
        this.#show(fallback);
        onEnd();
      },
    );
  }

  /** Tables in the output request rows that it does not contain. See decision 9. */
  #answerTable(message: unknown): void {
    const { table: tableId, page: from, frame }: Readonly<Record<string, unknown>> = Object(message);
    const table = liveKernel()?.tables?.take?.(tableId);
    if (table !== undefined) this.#model.send({ table, page: from, frame }, []);
  }

  #show(result: RunResult): void {
    this.#lastRun = result;
    this.#model.set({ html: result.html, busy: false });
  }
}
