// What JupyterLab loads first: a container as module federation knows them. It shares nothing of its own, and takes
// JupyterLab's own packages from JupyterLab.
(() => {
  /** What notebooks are edited with. */
  const EDITING = [
    "@codemirror/state",
    "@codemirror/view",
    "@jupyterlab/apputils",
    "@jupyterlab/codemirror",
    "@jupyterlab/notebook",
    "@jupyterlab/rendermime",
  ];
  let scope = {};

  /** A package as JupyterLab itself uses it: what is loaded, else the newest. */
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
    /** Outputs need the least, so that they are shown wherever JupyterLab's renderers are. */
    async get(module) {
      const { RenderedHTML, IRenderMimeRegistry } = await shared("@jupyterlab/rendermime");
      const { rendererExtension } = await import("./renderer-extension.js");
      const renderer = rendererExtension(RenderedHTML);
      if (module !== "./plugins") return exported(renderer);
      const { stillWidgets } = await import("./still-widgets.js");
      const { notebookLanguage } = await import("./notebook-language.js");
      const plugins = [stillWidgets(IRenderMimeRegistry, renderer.rendererFactory.createRenderer)];
      if (EDITING.every((name) => scope[name])) {
        const packages = await Promise.all(EDITING.map(async (name) => [name, await shared(name)]));
        plugins.push(notebookLanguage(Object.fromEntries(packages)));
      }
      return exported(plugins);
    },
  };
})();
