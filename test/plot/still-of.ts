import type { MimeBundle } from "../../src/tables/display/mime-bundle.js";
import { stillOf as stillUrl } from "../../src/tables/display/still-of.js";

/** The image below the frame of an output, as SVG text. */
export function stillOf(bundle: MimeBundle): string {
  const url = stillUrl(String(bundle["text/html"]));
  if (!url?.startsWith("data:image/svg+xml;base64,"))
    throw new Error(`no still among ${Object.keys(bundle).join(", ")}`);
  return Buffer.from(url.slice(url.indexOf(",") + 1), "base64").toString();
}
