import type { MimeBundle } from "../../src/tables/display/mime-bundle.js";
import { fallbackOf as fallbackUrl } from "../../src/tables/display/view.js";

/** The image below the frame of an output, as SVG text. */
export function fallbackOf(bundle: MimeBundle): string {
  const url = fallbackUrl(String(bundle["text/html"]));
  if (!url?.startsWith("data:image/svg+xml;base64,"))
    throw new Error(`no fallback among ${Object.keys(bundle).join(", ")}`);
  return Buffer.from(url.slice(url.indexOf(",") + 1), "base64").toString();
}
