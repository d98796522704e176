import type { MimeBundle } from "../../src/display/bundle/mime-bundle.js";

/** The image that stands below the frame of an output, as SVG text. */
export function stillOf(bundle: MimeBundle): string {
  const [, base64] = /<img [^>]*src="data:image\/svg\+xml;base64,([^"]+)"/.exec(String(bundle["text/html"])) ?? [];
  if (base64 === undefined) throw new Error(`no still among ${Object.keys(bundle).join(", ")}`);
  return Buffer.from(base64, "base64").toString();
}
