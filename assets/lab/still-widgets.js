/** What a widget's output carries beside its view, so that its still can be asked for. */
const TYPE = "application/vnd.siteframe.widget.v1+json";
/** Before the widget's view, which ipywidgets gives -10. */
const RANK = -20;

/**
 * JupyterLab's plugin that shows widgets still where there is no anywidget. ipywidgets alone would show an error for each.
 *
 * @param IRenderMimeRegistry JupyterLab's token for its renderers
 * @param createRenderer makes the renderer of what is still
 */
export function stillWidgets(IRenderMimeRegistry, createRenderer) {
  return {
    id: "siteframe:still-widgets",
    description: "Widgets of Siteframe as they were first, where there is no anywidget.",
    autoStart: true,
    requires: [IRenderMimeRegistry],
    activate(app, renderers) {
      if (app.hasPlugin("anywidget:plugin")) return;
      renderers.addFactory({ safe: true, mimeTypes: [TYPE], createRenderer }, RANK);
    },
  };
}
