import type { Comm, LiveKernel } from "../../../tables/display/live-kernel.js";
import { anywidgetFields } from "./anywidget-fields.js";
import { splitState } from "./binary-state.js";
import type { WidgetModel } from "./widget-model.js";

/** The models that pages know. A page that is loaded anew asks for all of them. */
class LiveModels {
  readonly #models = new Map<string, WidgetModel>();

  constructor({ comms }: LiveKernel) {
    comms.register("jupyter.widget.control", (comm) => {
      comm.onMessage = ({ data }) => {
        if (Object(data).method === "request_states") this.#sendStates(comm);
      };
    });
  }

  /** Makes a model known to pages, if it is not. Returns its id. */
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

const known = new WeakMap<LiveKernel, LiveModels>();

/** The models of a kernel that pages know. */
export function liveModels(kernel: LiveKernel): LiveModels {
  const models = known.get(kernel) ?? new LiveModels(kernel);
  known.set(kernel, models);
  return models;
}
