// Entry point for JupyterLab: a container for module federation. It shares no packages, and uses JupyterLab's own.
(() => {
  /** Packages for editing notebooks. */
  const EDITING = [
    "@codemirror/state",
    "@codemirror/view",
    "@jupyterlab/apputils",
    "@jupyterlab/codemirror",
    "@jupyterlab/notebook",
    "@jupyterlab/rendermime",
  ];
  /** Package of ipywidgets, if it is installed. */
  const WIDGETS = "@jupyter-widgets/base";
  let scope = {};

  /** A package of JupyterLab: the loaded version, otherwise the newest. */
  const shared = async (name) => {
    const versions = Object.entries(scope[name] ?? {});
    const newestFirst = versions.sort(([one], [other]) => other.localeCompare(one, "en", { numeric: true }));
    const [, chosen] = newestFirst.find(([, { loaded }]) => loaded) ?? newestFirst[0];
    return (await chosen.get())();
  };

  const exported = (value) => () => ({ default: value, __esModule: true });

  const containers = globalThis._JUPYTERLAB ?? {};
  globalThis._JUPYTERLAB = containers;
  containers.siteframe = {
    init(given) {
      scope = given;
    },
    /** Outputs need the fewest packages, so that they are shown wherever JupyterLab's renderers are available. */
    async get(module) {
      const { RenderedHTML, IRenderMimeRegistry } = await shared("@jupyterlab/rendermime");
      const { rendererExtension } = await import("./renderer-extension.js");
      const renderer = rendererExtension(RenderedHTML);
      if (module !== "./plugins") return exported(renderer);
      const { fallbackWidgets } = await import("./fallback-widgets.js");
      const { notebookLanguage } = await import("./notebook-language.js");
      const { IJupyterWidgetRegistry } = scope[WIDGETS] ? await shared(WIDGETS) : {};
      const { createRenderer } = renderer.rendererFactory;
      const plugins = [fallbackWidgets({ IRenderMimeRegistry, IJupyterWidgetRegistry, createRenderer })];
      if (EDITING.every((name) => scope[name])) {
        const packages = await Promise.all(EDITING.map(async (name) => [name, await shared(name)]));
        plugins.push(notebookLanguage(Object.fromEntries(packages)));
      }
      return exported(plugins);
    },
  };
})();
