import { ArgumentError } from "../../../core/errors.js";
import { reasonOf } from "../../../core/show-value.js";
import { type Comm, type CommMessage, type LiveKernel, liveKernel } from "../../../tables/display/live-kernel.js";
import type { MimeBundle } from "../../../tables/display/mime-bundle.js";

type State = Readonly<Record<string, unknown>>;

/** Called with values changed by the page. The kernel is busy until a promise that it returns has settled. */
type ChangeListener = (changes: State) => unknown;
/** Called with messages that the page's code sent with `model.send()`. */
type MessageListener = (content: unknown, buffers: readonly Uint8Array[]) => unknown;

/** The kernel's half of a widget. Without a comm it only keeps its state. */
export class WidgetModel {
  readonly #fields: State;
  readonly #onChange = new Set<ChangeListener>();
  readonly #onMessage = new Set<MessageListener>();
  #state: State;
  #comm: Comm | undefined;

  /**
   * @param fields read-only values for the page besides the state
   */
  constructor(fields: State, state: State) {
    splitState(state);
    this.#fields = fields;
    this.#state = { ...state };
  }

  get state(): State {
    return this.#state;
  }

  /** All values of the page. */
  get everything(): State {
    return { ...this.#state, ...this.#fields };
  }

  /** Id of the model in pages; undefined if it is in none. */
  get id(): string | undefined {
    return this.#comm?.id;
  }

  /** Opens the model in the pages of a kernel. Returns its id. */
  open(kernel: LiveKernel, onClosed: (id: string) => void): string {
    if (this.#comm) return this.#comm.id;
    const { state, buffer_paths, buffers } = splitState(this.everything);
    const extras = { buffers, metadata: { version: "2.1.0" } };
    const comm = kernel.comms.open("jupyter.widget", { state, buffer_paths }, extras);
    comm.onMessage = (message) => this.#take(comm, message);
    comm.onClose = () => {
      this.#comm = undefined;
      onClosed(comm.id);
    };
    this.#comm = comm;
    return comm.id;
  }

  /** Changes values here and in pages. */
  set(changes: State): void {
    const data = update("update", changes);
    this.#state = { ...this.#state, ...changes };
    this.#comm?.send(...data);
  }

  send(content: unknown, buffers: readonly Uint8Array[]): void {
    this.#comm?.send({ method: "custom", content }, { buffers });
  }

  onChange(listener: ChangeListener): () => void {
    this.#onChange.add(listener);
    return () => void this.#onChange.delete(listener);
  }

  onMessage(listener: MessageListener): () => void {
    this.#onMessage.add(listener);
    return () => void this.#onMessage.delete(listener);
  }

  close(): void {
    this.#comm?.close();
    this.#comm = undefined;
  }

  #take(comm: Comm, { data, buffers }: CommMessage): unknown {
    const { method, state, buffer_paths, content }: Record<string, unknown> = Object(data);
    switch (method) {
      case "update":
        return this.#update(comm, joinState(state, buffer_paths, buffers));
      case "request_state":
        return comm.send(...update("update", this.everything));
      case "custom":
        return each(this.#onMessage, (listener) => listener(content, buffers));
      default:
        return undefined;
    }
  }

  /** Echoes the change: other pages that show the widget get it, and the page that sent it gets a confirmation. */
  #update(comm: Comm, changes: State): unknown {
    const state = Object.fromEntries(Object.entries(changes).filter(([name]) => !reservedNames.has(name)));
    comm.send(...update("echo_update", changes));
    this.#state = { ...this.#state, ...state };
    return each(this.#onChange, (listener) => listener(state));
  }
}

function update(method: "update" | "echo_update", changes: State) {
  const { state, buffer_paths, buffers } = splitState(changes);
  return [{ method, state, buffer_paths }, { buffers }] as const;
}

/** A listener that fails does not affect the others. */
function each<Listener>(listeners: Iterable<Listener>, call: (listener: Listener) => unknown): Promise<unknown> {
  return Promise.all([...listeners].map(async (listener) => call(listener)));
}

/** The models in pages. A page that is reloaded asks for all of them. */
class LiveModels {
  readonly #models = new Map<string, WidgetModel>();

  constructor({ comms }: LiveKernel) {
    comms.register("jupyter.widget.control", (comm) => {
      comm.onMessage = ({ data }) => {
        if (Object(data).method === "request_states") this.#sendStates(comm);
      };
    });
  }

  /** Opens a model in pages, unless it is already open. Returns its id. */
  open(kernel: LiveKernel, model: WidgetModel): string {
    const id = model.open(kernel, (closed) => this.#models.delete(closed));
    this.#models.set(id, model);
    return id;
  }

  close(model: WidgetModel): void {
    if (model.id !== undefined) this.#models.delete(model.id);
    model.close();
  }

  #sendStates(comm: Comm): void {
    const { _model_module, _model_module_version, _model_name } = anywidgetFields;
    const names = { model_name: _model_name, model_module: _model_module, model_module_version: _model_module_version };
    const states = [...this.#models].map(([id, { everything }]) => [id, { ...names, state: everything }] as const);
    const { state, buffer_paths, buffers } = splitState(Object.fromEntries(states));
    comm.send({ method: "update_states", states: state, buffer_paths }, { buffers });
  }
}

const modelsOf = new WeakMap<LiveKernel, LiveModels>();

/** The open models of a kernel. */
export function liveModels(kernel: LiveKernel): LiveModels {
  const models = modelsOf.get(kernel) ?? new LiveModels(kernel);
  modelsOf.set(kernel, models);
  return models;
}

/** Path of a binary value in a state, from outside in. */
type BufferPath = readonly (string | number)[];

/** A state as Jupyter's widgets send it: JSON, and the bytes separately. */
interface SplitState {
  readonly state: unknown;
  readonly buffer_paths: readonly BufferPath[];
  readonly buffers: readonly Uint8Array[];
}

/**
 * Removes the binary values from a state at any depth: typed arrays, views and array buffers. Objects omit them, lists have
 * `null` instead. BigInts become strings of their digits.
 *
 * @throws ArgumentError if the rest is not JSON
 */
export function splitState(state: object): SplitState {
  const buffer_paths: BufferPath[] = [];
  const buffers: Uint8Array[] = [];
  const paths = new Map<unknown, BufferPath>();
  function replace(this: unknown, key: string, value: unknown): unknown {
    // The value before `toJSON`, which a Buffer has.
    const raw: unknown = Reflect.get(Object(this), key);
    const outer = paths.get(this);
    const path = outer ? [...outer, Array.isArray(this) ? Number(key) : key] : [];
    const bytes = bytesOf(raw);
    if (bytes) {
      buffer_paths.push(path);
      buffers.push(bytes);
      return Array.isArray(this) ? null : undefined;
    }
    if (typeof value === "object" && value !== null) paths.set(value, path);
    return typeof value === "bigint" ? String(value) : value;
  }
  try {
    return { state: JSON.parse(JSON.stringify(state, replace)), buffer_paths, buffers };
  } catch (cause) {
    const [reason = ""] = reasonOf(cause).split("\n");
    throw new ArgumentError(`A widget's state must be JSON and bytes: ${reason}.`, { cause });
  }
}

/** Inserts bytes at their paths. Invalid paths are skipped. */
export function joinState(
  state: unknown,
  paths: unknown,
  buffers: readonly Uint8Array[],
): Readonly<Record<string, unknown>> {
  const whole = { ...Object(state) };
  if (!Array.isArray(paths)) return whole;
  for (const [index, path] of paths.entries()) {
    const buffer = buffers[index];
    if (Array.isArray(path) && buffer) putBuffer(whole, path, buffer);
  }
  return whole;
}

function putBuffer(whole: object, path: readonly unknown[], buffer: Uint8Array): void {
  const steps = path.map(String);
  const last = steps.pop();
  let holder: unknown = whole;
  for (const step of steps) {
    if (typeof holder !== "object" || holder === null || !Object.hasOwn(holder, step)) return;
    holder = Reflect.get(holder, step);
  }
  if (typeof holder !== "object" || holder === null || last === undefined) return;
  Object.defineProperty(holder, last, { value: buffer, configurable: true, enumerable: true, writable: true });
}

function bytesOf(value: unknown): Uint8Array | undefined {
  if (value instanceof ArrayBuffer) return new Uint8Array(value);
  return ArrayBuffer.isView(value) ? new Uint8Array(value.buffer, value.byteOffset, value.byteLength) : undefined;
}

/**
 * Any version, since the kernel cannot detect the page's anywidget, which registers with its own version.
 */
const version = "*";

/** Marks a model and its view as pip's anywidget's. */
export const anywidgetFields = {
  _model_module: "anywidget",
  _model_module_version: version,
  _model_name: "AnyModel",
  _view_module: "anywidget",
  _view_module_version: version,
  _view_name: "AnyView",
} as const;

const others = ["_esm", "_css", "_anywidget_id", "_view_count", "_dom_classes", "layout", "tabbable", "tooltip"];

/** Names in a state that belong to anywidget and to ipywidgets. */
export const reservedNames: ReadonlySet<string> = new Set([...Object.keys(anywidgetFields), ...others]);

/** Fallback of a widget that cannot run. */
export interface WidgetFallback {
  readonly html: string;
  readonly text: string;
}

/** MIME type with which the JupyterLab extension shows the fallback if the page has no anywidget. */
const fallbackType = "application/vnd.siteframe.widget.v1+json";

/** Notes for authors who can fix it, and for readers of a page. */
const notes = {
  live: "Static view: run the cell to use it. The page needs anywidget (pip install anywidget).",
  still: "Static view: run the notebook to change this part.",
} as const;

/** A widget for pages with anywidget, and its fallback for others. */
export function widgetBundle(model: WidgetModel, { html, text }: WidgetFallback, closed: boolean): MimeBundle {
  const kernel = closed ? undefined : liveKernel();
  const note = notes[kernel ? "live" : "still"];
  const fallback = {
    "text/html": `<div class="siteframe-widget-still">${html}<p><small>${note}</small></p></div>`,
    "text/plain": `${text}\n${note}`,
  };
  if (!kernel) return fallback;
  const view = { version_major: 2, version_minor: 1, model_id: liveModels(kernel).open(kernel, model) };
  return { "application/vnd.jupyter.widget-view+json": view, [fallbackType]: {}, ...fallback };
}
