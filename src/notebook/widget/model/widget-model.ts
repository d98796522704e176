import type { Comm, CommMessage, LiveKernel } from "../../../tables/display/live-kernel.js";
import { reservedNames } from "./anywidget-fields.js";
import { joinState, splitState } from "./binary-state.js";

type State = Readonly<Record<string, unknown>>;

/** Hears which values the page changed. The kernel is busy until a promise that it returns has settled. */
export type ChangeListener = (changes: State) => unknown;
/** Hears what the page's code sent with `model.send()`. */
export type MessageListener = (content: unknown, buffers: readonly Uint8Array[]) => unknown;

/** The kernel's half of a widget. Without a comm it only keeps its state. */
export class WidgetModel {
  readonly #fields: State;
  readonly #onChange = new Set<ChangeListener>();
  readonly #onMessage = new Set<MessageListener>();
  #state: State;
  #comm: Comm | undefined;

  /**
   * @param fields what the page needs besides the state, and cannot change
   */
  constructor(fields: State, state: State) {
    splitState(state);
    this.#fields = fields;
    this.#state = { ...state };
  }

  get state(): State {
    return this.#state;
  }

  /** All that the page knows. */
  get everything(): State {
    return { ...this.#state, ...this.#fields };
  }

  /** The id by which pages know the model; undefined where it is in none. */
  get id(): string | undefined {
    return this.#comm?.id;
  }

  /** Makes the model known to the pages of a kernel. Returns its id. */
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

  /** Other pages that show the widget learn of the change by its echo, and the one that made it that it came. */
  #update(comm: Comm, changes: State): unknown {
    const own = Object.fromEntries(Object.entries(changes).filter(([name]) => !reservedNames.has(name)));
    comm.send(...update("echo_update", changes));
    this.#state = { ...this.#state, ...own };
    return each(this.#onChange, (listener) => listener(own));
  }
}

function update(method: "update" | "echo_update", changes: State) {
  const { state, buffer_paths, buffers } = splitState(changes);
  return [{ method, state, buffer_paths }, { buffers }] as const;
}

/** One listener that fails does not keep the others from hearing. */
function each<Listener>(listeners: Iterable<Listener>, call: (listener: Listener) => unknown): Promise<unknown> {
  return Promise.all([...listeners].map(async (listener) => call(listener)));
}
