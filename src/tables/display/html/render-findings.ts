import type { Finding } from "../../../core/finding.js";
import type { MimeBundle } from "../bundle/mime-bundle.js";
import { escapeHtml } from "../text/escape-html.js";

/**
 * A bundle with a list of findings below it; the same bundle if there are none.
 *
 * @param rowCount of what is shown: where there is nothing, the list is open, since it says why
 */
export function withFindings(bundle: MimeBundle, findings: readonly Finding[], rowCount: number): MimeBundle {
  if (findings.length === 0) return bundle;
  const title = `${findings.length} ${findings.length === 1 ? "finding" : "findings"}`;
  const items = findings.map(({ message }) => `<li>${escapeHtml(message)}</li>`).join("");
  return {
    ...bundle,
    "text/html": `${bundle["text/html"]}<details${rowCount === 0 ? " open" : ""} style="font:12px/1.5 system-ui,sans-serif;margin-top:4px"><summary>${title}</summary><ul style="margin:4px 0 0;padding-left:1.5em">${items}</ul></details>`,
    "text/plain": `${bundle["text/plain"]}\n${title}:\n${findings.map(({ message }) => `- ${message}`).join("\n")}`,
  };
}
