/** Data of a widget's output that identifies its fallback. */
const TYPE = "application/vnd.siteframe.widget.v1+json";
/** Before the widget's view, which has rank -10 in ipywidgets. */
const RANK = -20;

/**
 * JupyterLab plugin that shows the fallback of widgets if anywidget is missing. ipywidgets alone would show an error
 * for each.
 *
 * @param IRenderMimeRegistry JupyterLab's token for its renderers
 * @param createRenderer creates the renderer of the fallback
 */
export function fallbackWidgets(IRenderMimeRegistry, createRenderer) {
  return {
    id: "siteframe:fallback-widgets",
    description: "Show Siteframe widgets as static images if anywidget is missing.",
    autoStart: true,
    requires: [IRenderMimeRegistry],
    activate(app, renderers) {
      if (app.hasPlugin("anywidget:plugin")) return;
      renderers.addFactory({ safe: true, mimeTypes: [TYPE], createRenderer }, RANK);
    },
  };
}
