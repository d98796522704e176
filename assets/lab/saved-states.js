const KEY = "siteframe";
/** Characters of the states of an output. More would make the notebook slow to save. */
const MOST = 200_000;

/**
 * Keeps the states of the views in an output in the metadata of the output, which JupyterLab saves with the notebook. A view
 * is known by its index in the output.
 */
export class SavedStates {
  #node;
  #model;

  constructor(node) {
    this.#node = node;
  }

  /** @param model JupyterLab's model of the output */
  use(model) {
    this.#model = model;
  }

  listen() {
    globalThis.addEventListener("message", this);
  }

  stop() {
    globalThis.removeEventListener("message", this);
  }

  handleEvent({ source, data }) {
    if (!source || data?.siteframe !== "state" || data.version !== 1 || !this.#model) return;
    const index = [...this.#node.querySelectorAll("iframe")].findIndex(({ contentWindow }) => contentWindow === source);
    if (index < 0) return;
    if (data.type === "save") this.#save(index, data.state);
    else if (data.type === "hello") {
      const state = this.#model.metadata?.[KEY]?.views?.[index];
      if (state) source.postMessage({ siteframe: "state", version: 1, type: "state", state }, "*");
    }
  }

  #save(index, state) {
    const { metadata = {} } = this.#model;
    const views = { ...metadata[KEY]?.views, [index]: state };
    if (JSON.stringify(views).length > MOST) return;
    this.#model.setData({ metadata: { ...metadata, [KEY]: { views } } });
  }
}
