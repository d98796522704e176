// What JupyterLab loads first: a container as module federation knows them. It shares nothing of its own, and takes
// JupyterLab's renderer of HTML from JupyterLab.
(() => {
  let scope = {};

  /** A package as JupyterLab itself uses it: what is loaded, else the newest. */
  const shared = async (name) => {
    const versions = Object.entries(scope[name] ?? {});
    const newestFirst = versions.sort(([one], [other]) => other.localeCompare(one, "en", { numeric: true }));
    const [, chosen] = newestFirst.find(([, { loaded }]) => loaded) ?? newestFirst[0];
    return (await chosen.get())();
  };

  const containers = globalThis._JUPYTERLAB ?? {};
  globalThis._JUPYTERLAB = containers;
  containers.siteframe = {
    init(given) {
      scope = given;
    },
    async get(module) {
      const [{ RenderedHTML, IRenderMimeRegistry }, { rendererExtension }, { stillWidgets }] = await Promise.all([
        shared("@jupyterlab/rendermime"),
        import("./renderer-extension.js"),
        import("./still-widgets.js"),
      ]);
      const renderer = rendererExtension(RenderedHTML);
      const isPlugin = module === "./still-widgets";
      const chosen = isPlugin ? stillWidgets(IRenderMimeRegistry, renderer.rendererFactory.createRenderer) : renderer;
      return () => ({ default: chosen, __esModule: true });
    },
  };
})();
