/** Data of a widget's output that identifies its fallback. */
const TYPE = "application/vnd.siteframe.widget.v1+json";
const VIEW = "application/vnd.jupyter.widget-view+json";
/** Before the widget's view, which has rank -10 in ipywidgets. */
const BEFORE_VIEW = -20;
/** Before HTML, which has rank 50: untrusted notebooks have no widgets. */
const BEFORE_HTML = 40;
/** Milliseconds after which the fallback is shown instead of "Loading widget...": a kernel may start slowly, or never. */
const PATIENCE = 1000;

/**
 * JupyterLab plugin that shows the fallback of widgets if anywidget is missing, or if the kernel does not have a widget, as
 * in a notebook that was opened again. ipywidgets alone would show an error for each.
 *
 * @param IRenderMimeRegistry JupyterLab's token for its renderers
 * @param IJupyterWidgetRegistry the token of ipywidgets, if it is installed
 * @param createRenderer creates the renderer of the fallback
 */
export function fallbackWidgets({ IRenderMimeRegistry, IJupyterWidgetRegistry, createRenderer }) {
  return {
    id: "siteframe:fallback-widgets",
    description: "Show Siteframe widgets as static images if anywidget or the widget is missing.",
    autoStart: true,
    requires: [IRenderMimeRegistry],
    // Afterwards, its renderer is known.
    optional: IJupyterWidgetRegistry ? [IJupyterWidgetRegistry] : [],
    activate(app, renderers, widgets) {
      const hasWidgets = widgets && app.hasPlugin("anywidget:plugin");
      const rank = hasWidgets ? BEFORE_HTML : BEFORE_VIEW;
      renderers.addFactory({ safe: true, mimeTypes: [TYPE], createRenderer }, rank);
      if (hasWidgets) showMissing(renderers.createRenderer(VIEW).constructor, () => renderers.createRenderer(TYPE));
    },
  };
}

/**
 * Changes the class of ipywidgets, because each notebook creates its renderers itself, and they find out only later whether
 * a widget is missing.
 */
function showMissing({ prototype }, createFallback) {
  const { renderModel } = prototype;
  const fallbacks = new WeakMap();
  const remove = (renderer) => {
    const fallback = fallbacks.get(renderer);
    fallbacks.delete(renderer);
    if (!fallback) return;
    // ipywidgets may have emptied the element, from which the fallback removes itself.
    renderer.node.append(fallback.node);
    fallback.dispose();
  };
  const show = async (renderer, model) => {
    remove(renderer);
    const fallback = createFallback();
    fallbacks.set(renderer, fallback);
    renderer.node.textContent = "";
    renderer.addWidget(fallback);
    await fallback.renderModel(model);
  };
  prototype.renderModel = async function (model) {
    remove(this);
    const rendered = renderModel.call(this, model);
    if (!(TYPE in model.data)) return rendered;
    const slow = new Promise((resolve) => setTimeout(resolve, PATIENCE));
    const isSlow = await Promise.race([rendered.then(() => false), slow.then(() => true)]);
    if (isSlow && !this.isDisposed) await show(this, model);
    await rendered;
    // A widget that was closed has no id, and its output is hidden.
    if (this.isDisposed || model.data[VIEW]?.model_id === "") return;
    if (this.widgets.some((widget) => widget !== fallbacks.get(this))) remove(this);
    else await show(this, model);
  };
}
