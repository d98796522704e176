import type { MimeBundle } from "../bundle/mime-bundle.js";
import { escapeHtml } from "../text/escape-html.js";
import { errorChain, errorHeading } from "./error-chain.js";

/**
 * An error as a value, not as what ended a notebook's cell.
 *
 * @param lines what is said of it; by default its name, message and hint, and those of its causes
 */
export function renderError(
  error: unknown,
  lines: readonly string[] = errorChain(error).flatMap(errorHeading),
): MimeBundle {
  const [first = "", ...rest] = lines;
  const title = `<b style="color:#d1493f">${escapeHtml(first)}</b>`;
  const style = "margin:0;white-space:pre-wrap;overflow-wrap:anywhere";
  return {
    "text/plain": lines.join("\n"),
    "text/html": `<pre style="${style}">${[title, ...rest.map(escapeHtml)].join("\n")}</pre>`,
  };
}
