import type { MimeBundle } from "./bundle/mime-bundle.js";
import { viewStart } from "./view.js";

/** Says that the HTML beside it has views. */
const viewType = "application/vnd.siteframe.view.v1+json";

/**
 * A bundle that says whether its HTML has views. JupyterLab's extension renders bundles that say so, and reads the HTML;
 * all others do not know the type. That the views stood in it again would double the output.
 */
export function withViewType(bundle: MimeBundle): MimeBundle {
  const html = bundle["text/html"];
  return typeof html === "string" && html.includes(viewStart) ? { ...bundle, [viewType]: {} } : bundle;
}
