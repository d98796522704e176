import { isReportHeader, reportMime } from "../../plot/figure/report-header.js";
import type { MimeBundle } from "../../tables/display/mime-bundle.js";
import { escapeHtml } from "../../tables/display/text.js";
import type { Output } from "../file/notebook.js";
import type { PageHeadings } from "./page-headings.js";
import { renderMarkdown } from "./render-markdown.js";
import { preformatted, terminalHtml, terminalText } from "./terminal-text.js";

/**
 * Returns one output of a cell as HTML, in its richest format; empty if it only contains the heading in the page's head.
 *
 * @param headings of its page
 */
export function renderOutput(output: Output, headings?: PageHeadings): string {
  switch (output.output_type) {
    case "stream":
      return preformatted(terminalHtml(output.text).trimEnd(), ` class="stream ${output.name}"`);
    case "error":
      return preformatted(output.traceback.map(tracebackLine).join("\n"), ' class="error" role="alert"');
    default: {
      const html = renderBundle(output.data, headings);
      return html === "" ? "" : `<div class="result">${html}</div>`;
    }
  }
}

/** In colors of the page, since some terminal colors are unreadable on its backgrounds. */
function tracebackLine(text: string, index: number, lines: readonly string[]): string {
  const line = escapeHtml(terminalText(text));
  const isTitle = index === 0 || /^(Caused by:|One of its errors:)$/.test(lines[index - 1] as string);
  if (isTitle) return `<strong>${line}</strong>`;
  if (/^ {4}(at |…)/.test(line)) return `<span class="frame">${line}</span>`;
  return line.startsWith("&gt;") ? `<mark>${line}</mark>` : line;
}

type Render = (value: string, headings: PageHeadings | undefined) => string;

/** Formats that a page supports, the richest first. */
const formats: readonly (readonly [string, Render])[] = [
  ["text/html", staysHere],
  ["image/svg+xml", staysHere],
  ["image/png", (base64) => imageTag("image/png", base64)],
  ["image/jpeg", (base64) => imageTag("image/jpeg", base64)],
  ["text/markdown", (text, headings) => renderMarkdown(text, { headings })],
  ["text/plain", (text) => preformatted(terminalHtml(text))],
];

function renderBundle(bundle: MimeBundle, headings: PageHeadings | undefined): string {
  // The page's head has it.
  if (headings && isReportHeader(bundle[reportMime])) return "";
  for (const [mime, render] of formats) {
    const value = bundle[mime];
    if (typeof value === "string") return render(value, headings);
  }
  return preformatted(escapeHtml(JSON.stringify(bundle, null, 2)));
}

/** HTML without redirects of the page, which no content security policy prevents. */
function staysHere(html: string): string {
  return html.replace(/<(?=(?:meta|base)[\s/>])/gi, "&lt;");
}

function imageTag(mime: string, base64: string): string {
  return `<img alt="" src="data:${mime};base64,${escapeHtml(base64.replace(/\s/g, ""))}">`;
}
