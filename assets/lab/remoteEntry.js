// What JupyterLab loads first: a container as module federation knows them. It shares nothing of its own, and takes
// JupyterLab's own packages from JupyterLab.
(() => {
  const NAMES = [
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
    return [name, (await chosen.get())()];
  };

  const containers = globalThis._JUPYTERLAB ?? {};
  globalThis._JUPYTERLAB = containers;
  containers.siteframe = {
    init(given) {
      scope = given;
    },
    async get(module) {
      const [packages, { rendererExtension }, { stillWidgets }, { notebookLanguage }] = await Promise.all([
        Promise.all(NAMES.map(shared)),
        import("./renderer-extension.js"),
        import("./still-widgets.js"),
        import("./notebook-language.js"),
      ]);
      const lab = Object.fromEntries(packages);
      const { RenderedHTML, IRenderMimeRegistry } = lab["@jupyterlab/rendermime"];
      const renderer = rendererExtension(RenderedHTML);
      const plugins = () => [
        stillWidgets(IRenderMimeRegistry, renderer.rendererFactory.createRenderer),
        notebookLanguage(lab),
      ];
      const chosen = module === "./plugins" ? plugins() : renderer;
      return () => ({ default: chosen, __esModule: true });
    },
  };
})();
