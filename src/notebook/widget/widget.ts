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

/** Values shared by the kernel and the page: JSON, with bytes at any position. */
export type WidgetState = Readonly<Record<string, unknown>>;

/** Options of `widget()`. */
export interface WidgetOptions<State extends WidgetState> {
  /**
   * Code for the page: source of an ES module with `export default { initialize, render }`, as anywidget defines it, or its
   * URL: a `file:` URL is read immediately, an `https:` URL by the page.
   */
  readonly esm: string | URL;
  /** Style sheet, in the same forms. */
  readonly css?: string | URL;
  /** First values. Default: none. */
  readonly state?: State;
  /** Displayed if the widget cannot run: any displayable value. Default: the state. */
  readonly fallback?: unknown;
  /** Class name in the page; a style sheet replaces the previous one with the same name. */
  readonly name?: string;
}

/** A widget: code in the page, and values shared with the kernel. */
export interface Widget<State extends WidgetState = WidgetState> {
  /** Current values. */
  readonly state: State;
  /**
   * Changes values, here and in the page.
   *
   * @param changes new values by name
   * @throws ArgumentError for values that are neither JSON nor bytes
   */
  set(changes: Partial<State>): void;
  /**
   * Adds a listener for values changed by the page. Output and errors of the listener go to Jupyter's log, and the kernel is
   * busy until a promise that it returns has settled.
   *
   * @param listener called with the new values by name
   * @returns a function that removes the listener
   */
  onChange(listener: (changes: Partial<State>) => unknown): () => void;
  /**
   * Sends a message to the page's `model.on("msg:custom", …)`.
   *
   * @param content any JSON
   * @param buffers additional bytes
   */
  send(content: unknown, buffers?: readonly Uint8Array[]): void;
  /**
   * Adds a listener for messages sent by the page with `model.send()`.
   *
   * @param listener called with the content, and additional bytes
   * @returns a function that removes the listener
   */
  onMessage(listener: (content: unknown, buffers: readonly Uint8Array[]) => unknown): () => void;
  /** Closes the widget: pages remove it, and it is displayed as its fallback. */
  close(): void;
  /** The widget for a page with anywidget, and its fallback for others. */
  [displaySymbol](): Promise<MimeBundle>;
}

const module: OptionRule = {
  takes: "the source of a module or a style sheet, or a URL",
  accepts: (value) => (typeof value === "string" && value !== "") || value instanceof URL,
};
const rules: OptionRules<WidgetOptions<WidgetState>> = {
  esm: module,
  css: module,
  state: objectOf("an object"),
  fallback: anything,
  name: text,
};

/**
 * Returns a widget with anywidget's protocol: an ES module that draws in the page, and a state shared with the kernel. The
 * page needs pip's anywidget; modules written for it work. In a script, and in a notebook that runs without a page, the
 * state is kept and the widget is displayed as its fallback.
 *
 * @param options the module, and the state
 * @returns the widget; end the cell with it to display it
 * @throws ArgumentError for unknown options, for a state that is neither JSON nor bytes, and for reserved names in it
 * @example
 * widget({ esm: "export default { render({ model, el }) { el.textContent = model.get('n'); } }", state: { n: 1 } })
 */
export function widget<State extends WidgetState>(options: WidgetOptions<State>): Widget<State> {
  checkOptions("widget()", options, rules);
  const { esm, css, state = {}, name = "siteframe.widget", fallback } = options;
  if (!module.accepts(esm))
    throw new ArgumentError(`widget(): esm must be the source of a module or a URL, got ${showValue(esm)}.`);
  for (const key of Object.keys(state)) {
    if (reservedNames.has(key))
      throw new ArgumentError(`widget(): ${key} is a reserved name of the protocol. Rename it in state.`);
  }
  const style = css === undefined ? {} : { _css: sourceOf(css) };
  const model = new WidgetModel({ ...anywidgetFields, _anywidget_id: name, _esm: sourceOf(esm), ...style }, state);
  // The page can change the type of a value; the listener gets it as sent.
  return new OpenWidget(model, fallback) as unknown as Widget<State>;
}

class OpenWidget implements Widget {
  readonly #model: WidgetModel;
  readonly #fallback: unknown;
  #closed = false;

  constructor(model: WidgetModel, fallback: unknown) {
    this.#model = model;
    this.#fallback = fallback;
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
    const data = await toMimeBundle(this.#fallback === undefined ? this.state : this.#fallback);
    const html = renderOutput({ output_type: "display_data", data, metadata: {} });
    return widgetBundle(this.#model, { html, text: String(data["text/plain"]) }, this.#closed);
  }
}

function sourceOf(source: string | URL): string {
  if (typeof source === "string") return source;
  return source.protocol === "file:" ? readFileSync(fileURLToPath(source), "utf8") : source.href;
}
