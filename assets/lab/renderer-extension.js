import { layFrames } from "./lay-frames.js";
import { SavedStates } from "./saved-states.js";
import { TableRelay } from "./table-relay.js";

const HTML = "text/html";

/**
 * JupyterLab extension that renders outputs with Siteframe's MIME type. The type is only a marker: the output is the
 * HTML next to it, which JupyterLab's own renderer shows.
 *
 * @param RenderedHTML JupyterLab's renderer of HTML
 */
export function rendererExtension(RenderedHTML) {
  class ViewRenderer extends RenderedHTML {
    #relay = new TableRelay(this.node, () => sessionOf(this));
    #states = new SavedStates(this.node);
    /** What is shown: a saved state changes only the metadata, and its view must stay. */
    #shown = "";

    constructor(options) {
      super({ ...options, mimeType: HTML });
    }

    async renderModel(model) {
      this.#states.use(model);
      const html = model.data[HTML];
      const shown = `${model.trusted} ${html}`;
      if (shown === this.#shown) return;
      this.#shown = shown;
      this.#relay.hangUp();
      if (typeof html !== "string") return showText(this.node, model.data["text/plain"]);
      await super.renderModel(model);
      if (!model.trusted) layFrames(this.node, html);
    }

    onAfterAttach(message) {
      super.onAfterAttach(message);
      this.#relay.listen();
      this.#states.listen();
    }

    onBeforeDetach(message) {
      super.onBeforeDetach(message);
      this.#relay.stop();
      this.#states.stop();
    }
  }

  return {
    id: "siteframe:view",
    description: "Show interactive Siteframe outputs, including in untrusted notebooks.",
    rendererFactory: {
      safe: true,
      mimeTypes: ["application/vnd.siteframe.view.v1+json"],
      createRenderer: (options) => new ViewRenderer(options),
    },
    // Before HTML, which has rank 50.
    rank: 40,
    dataType: "json",
  };
}

function showText(node, text) {
  const lines = document.createElement("pre");
  lines.textContent = typeof text === "string" ? text : "";
  node.replaceChildren(lines);
}

/** The session of the notebook or console around a widget. A copy of an output in a separate tab has none. */
function sessionOf(widget) {
  for (let around = widget; around; around = around.parent) {
    const session = around.sessionContext ?? around.context?.sessionContext;
    if (session) return session;
  }
  return undefined;
}
