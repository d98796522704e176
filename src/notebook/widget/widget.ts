import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { ArgumentError } from "../../core/errors.js";
import { anything, checkOptions, type OptionRule, type OptionRules, objectOf, text } from "../../core/options.js";
import { showValue } from "../../core/show-value.js";
import { liveKernel } from "../../tables/display/live-kernel.js";
import { displaySymbol, type MimeBundle } from "../../tables/display/mime-bundle.js";
import { toMimeBundle } from "../../tables/display/to-mime-bundle.js";
import { renderOutput } from "../page/render-output.js";
import { anywidgetFields, liveModels, reservedNames, WidgetModel, widgetBundle } from "./model/widget-model.js";

/** Values that the kernel and the page share: JSON, and bytes wherever a value may stand. */
export type WidgetState = Readonly<Record<string, unknown>>;

/** Options of `widget()`. */
export interface WidgetOptions<State extends WidgetState> {
  /**
   * What runs in the page: the text of an ES module with `export default { initialize, render }`, as anywidget defines
   * it, or where it stands: a `file:` URL is read now, an `https:` one by the page.
   */
  readonly esm: string | URL;
  /** Its style sheet, in the same ways. */
  readonly css?: string | URL;
  /** The first values. Default: none. */
  readonly state?: State;
  /** What is shown where the widget cannot live: any value that shows itself. Default: the state. */
  readonly still?: unknown;
  /** What its class is called in the page, where a style sheet replaces the one of the same name. */
  readonly name?: string;
}

/** A widget: code in the page, and values that it shares with the kernel. */
export interface Widget<State extends WidgetState = WidgetState> {
  /** The values as they are now. */
  readonly state: State;
  /**
   * Changes values, here and in the page.
   *
   * @param changes new values by name
   * @throws ArgumentError for what is neither JSON nor bytes
   */
  set(changes: Partial<State>): void;
  /**
   * Hears of values that the page changed. Prints and errors of the listener go to Jupyter's log, and the kernel is busy
   * until a promise that it returns has settled.
   *
   * @param listener called with the new values by name
   * @returns ends the listening
   */
  onChange(listener: (changes: Partial<State>) => unknown): () => void;
  /**
   * Sends a message to the page's `model.on("msg:custom", …)`.
   *
   * @param content any JSON
   * @param buffers bytes beside it
   */
  send(content: unknown, buffers?: readonly Uint8Array[]): void;
  /**
   * Hears what the page sends with `model.send()`.
   *
   * @param listener called with the content, and the bytes beside it
   * @returns ends the listening
   */
  onMessage(listener: (content: unknown, buffers: readonly Uint8Array[]) => unknown): () => void;
  /** Ends the widget: pages show it no more, and it shows itself as its still. */
  close(): void;
  /** The widget for a page that has anywidget, and its still for all others. */
  [displaySymbol](): Promise<MimeBundle>;
}

const module: OptionRule = {
  takes: "the text of a module or a style sheet, or a URL",
  accepts: (value) => (typeof value === "string" && value !== "") || value instanceof URL,
};
const rules: OptionRules<WidgetOptions<WidgetState>> = {
  esm: module,
  css: module,
  state: objectOf("an object"),
  still: anything,
  name: text,
};

/**
 * A widget by anywidget's protocol: an ES module that draws in the page, and a state that it shares with the kernel. The
 * page needs pip's anywidget; any widget that is made for it works. In a script, and where a notebook runs without a
 * page, the state is kept and the widget shows itself still.
 *
 * @param options the module, and the state
 * @returns the widget, to be shown by the cell that ends with it
 * @throws ArgumentError for options that it does not have, for a state that is neither JSON nor bytes, and for names in it
 * that belong to the protocol
 */
export function widget<State extends WidgetState>(options: WidgetOptions<State>): Widget<State> {
  checkOptions("widget()", options, rules);
  const { esm, css, state = {}, name = "siteframe.widget", still } = options;
  if (!module.accepts(esm)) throw new ArgumentError(`widget() takes an esm, got ${showValue(esm)}.`);
  for (const key of Object.keys(state)) {
    if (reservedNames.has(key)) throw new ArgumentError(`widget(): ${key} is a name of the protocol, not of a state.`);
  }
  const style = css === undefined ? {} : { _css: sourceOf(css) };
  const model = new WidgetModel({ ...anywidgetFields, _anywidget_id: name, _esm: sourceOf(esm), ...style }, state);
  // The page can change the type of a value; what the listener then sees is as the page sent it.
  return new OpenWidget(model, still) as unknown as Widget<State>;
}

class OpenWidget implements Widget {
  readonly #model: WidgetModel;
  readonly #still: unknown;
  #closed = false;

  constructor(model: WidgetModel, still: unknown) {
    this.#model = model;
    this.#still = still;
  }

  get state(): WidgetState {
    return this.#model.state;
  }

  set(changes: WidgetState): void {
    this.#model.set(changes);
  }

  onChange(listener: (changes: WidgetState) => unknown): () => void {
    return this.#model.onChange(listener);
  }

  send(content: unknown, buffers: readonly Uint8Array[] = []): void {
    this.#model.send(content, buffers);
  }

  onMessage(listener: (content: unknown, buffers: readonly Uint8Array[]) => unknown): () => void {
    return this.#model.onMessage(listener);
  }

  close(): void {
    this.#closed = true;
    const kernel = liveKernel();
    if (kernel) liveModels(kernel).close(this.#model);
  }

  async [displaySymbol](): Promise<MimeBundle> {
    const data = await toMimeBundle(this.#still === undefined ? this.state : this.#still);
    const html = renderOutput({ output_type: "display_data", data, metadata: {} });
    return widgetBundle(this.#model, { html, text: String(data["text/plain"]) }, this.#closed);
  }
}

function sourceOf(source: string | URL): string {
  if (typeof source === "string") return source;
  return source.protocol === "file:" ? readFileSync(fileURLToPath(source), "utf8") : source.href;
}
