import { layFrames } from "./lay-frames.js";
import { TableRelay } from "./table-relay.js";

const HTML = "text/html";

/**
 * JupyterLab's extension that renders outputs which carry our MIME type. The type itself says nothing: the output is the
 * HTML beside it, and JupyterLab's own renderer shows that.
 *
 * @param RenderedHTML JupyterLab's renderer of HTML
 */
export function rendererExtension(RenderedHTML) {
  class ViewRenderer extends RenderedHTML {
    #relay = new TableRelay(this.node, () => sessionOf(this));

    constructor(options) {
      super({ ...options, mimeType: HTML });
    }

    async renderModel(model) {
      this.#relay.hangUp();
      const html = model.data[HTML];
      if (typeof html !== "string") return showText(this.node, model.data["text/plain"]);
      await super.renderModel(model);
      if (!model.trusted) layFrames(this.node, html);
    }

    onAfterAttach(message) {
      super.onAfterAttach(message);
      this.#relay.listen();
    }

    onBeforeDetach(message) {
      super.onBeforeDetach(message);
      this.#relay.stop();
    }
  }

  return {
    id: "siteframe:view",
    description: "Outputs of Siteframe that answer when they are pointed at, also in notebooks that are not trusted.",
    rendererFactory: {
      safe: true,
      mimeTypes: ["application/vnd.siteframe.view.v1+json"],
      createRenderer: (options) => new ViewRenderer(options),
    },
    // Before HTML, which has 50.
    rank: 40,
    dataType: "json",
  };
}

function showText(node, text) {
  const lines = document.createElement("pre");
  lines.textContent = typeof text === "string" ? text : "";
  node.replaceChildren(lines);
}

/** The session of the notebook or console around a widget. A copy of an output in a tab of its own has none. */
function sessionOf(widget) {
  for (let around = widget; around; around = around.parent) {
    const session = around.sessionContext ?? around.context?.sessionContext;
    if (session) return session;
  }
  return undefined;
}
