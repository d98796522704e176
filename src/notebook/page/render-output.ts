import type { MimeBundle } from "../../display/bundle/mime-bundle.js";
import { escapeHtml } from "../../display/text/escape-html.js";
import type { Output } from "../file/notebook.js";
import { renderMarkdown } from "./render-markdown.js";
import { terminalHtml } from "./terminal-text.js";

/** One output of a cell as HTML, in its richest format. */
export function renderOutput(output: Output): string {
  switch (output.output_type) {
    case "stream":
      return `<pre class="stream ${output.name}">${terminalHtml(output.text).trimEnd()}</pre>`;
    case "error":
      return `<pre class="error" role="alert">${output.traceback.map(tracebackLine).join("\n")}</pre>`;
    default:
      return `<div class="result">${renderBundle(output.data)}</div>`;
  }
}

function tracebackLine(text: string, index: number): string {
  const line = terminalHtml(text);
  if (index === 0) return `<strong>${line}</strong>`;
  return line.startsWith("&gt;") ? `<mark>${line}</mark>` : line;
}

type Render = (value: string) => string;

/** Formats a page can show, the richest first. */
const formats: readonly (readonly [string, Render])[] = [
  ["text/html", staysHere],
  ["image/svg+xml", staysHere],
  ["image/png", (base64) => imageTag("image/png", base64)],
  ["image/jpeg", (base64) => imageTag("image/jpeg", base64)],
  ["text/markdown", (text) => renderMarkdown(text)],
  ["text/plain", (text) => `<pre>${terminalHtml(text)}</pre>`],
];

function renderBundle(bundle: MimeBundle): string {
  for (const [mime, render] of formats) {
    const value = bundle[mime];
    if (typeof value === "string") return render(value);
  }
  return `<pre>${escapeHtml(JSON.stringify(bundle, null, 2))}</pre>`;
}

/** HTML as it stands, but for what would lead the page elsewhere: no policy of a page holds that up. */
function staysHere(html: string): string {
  return html.replace(/<(?=(?:meta|base)[\s/>])/gi, "&lt;");
}

function imageTag(mime: string, base64: string): string {
  return `<img alt="" src="data:${mime};base64,${escapeHtml(base64.replace(/\s/g, ""))}">`;
}
