import type { MimeBundle } from "../../tables/display/mime-bundle.js";
import { escapeHtml } from "../../tables/display/text.js";
import type { Output } from "../file/notebook.js";
import type { PageHeadings } from "./page-headings.js";
import { renderMarkdown } from "./render-markdown.js";
import { preformatted, terminalHtml, terminalText } from "./terminal-text.js";

/**
 * One output of a cell as HTML, in its richest format; nothing of one that is only the heading which the page's head has.
 *
 * @param headings of the page that it stands in
 */
export function renderOutput(output: Output, headings?: PageHeadings): string {
  switch (output.output_type) {
    case "stream":
      return preformatted(terminalHtml(output.text).trimEnd(), ` class="stream ${output.name}"`);
    case "error":
      return preformatted(output.traceback.map(tracebackLine).join("\n"), ' class="error" role="alert"');
    default: {
      const shown = renderBundle(output.data, headings);
      return shown === "" ? "" : `<div class="result">${shown}</div>`;
    }
  }
}

/** In colours of the page: of terminals' colours some cannot be read on its grounds. */
function tracebackLine(text: string, index: number, lines: readonly string[]): string {
  const line = escapeHtml(terminalText(text));
  const isCause = /^(Caused by:|One of its errors:)$/.test(lines[index - 1] ?? "");
  if (index === 0 || isCause) return `<strong>${line}</strong>`;
  if (/^ {4}(at |…)/.test(line)) return `<span class="frame">${line}</span>`;
  return line.startsWith("&gt;") ? `<mark>${line}</mark>` : line;
}

type Render = (value: string, headings: PageHeadings | undefined) => string;

/** Formats a page can show, the richest first. */
const formats: readonly (readonly [string, Render])[] = [
  ["text/html", staysHere],
  ["image/svg+xml", staysHere],
  ["image/png", (base64) => imageTag("image/png", base64)],
  ["image/jpeg", (base64) => imageTag("image/jpeg", base64)],
  ["text/markdown", (text, headings) => renderMarkdown(text, { headings })],
  ["text/plain", (text) => preformatted(terminalHtml(text))],
];

function renderBundle(bundle: MimeBundle, headings: PageHeadings | undefined): string {
  for (const [mime, render] of formats) {
    const value = bundle[mime];
    if (typeof value === "string") return render(value, headings);
  }
  return preformatted(escapeHtml(JSON.stringify(bundle, null, 2)));
}

/** HTML as it stands, but for what would lead the page elsewhere: no policy of a page holds that up. */
function staysHere(html: string): string {
  return html.replace(/<(?=(?:meta|base)[\s/>])/gi, "&lt;");
}

function imageTag(mime: string, base64: string): string {
  return `<img alt="" src="data:${mime};base64,${escapeHtml(base64.replace(/\s/g, ""))}">`;
}
