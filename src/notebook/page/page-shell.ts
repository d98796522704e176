import { frameScriptHashes } from "../../tables/display/frame-script.js";
import { escapeHtml } from "../../tables/display/text/escape-html.js";
import { pageStyle } from "./page-style.js";

/**
 * A page's content in a whole HTML document. Nothing is loaded, and no script runs in
 * it but those of frames, whose text is fixed, whatever the outputs hold.
 */
export function pageShell(title: string, content: string): string {
  const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src ${frameScriptHashes()}; img-src data: https:; base-uri 'none'; form-action 'none'">
<title>${escapeHtml(title)}</title>
<style>${pageStyle}</style>
</head>
<body>
${content}
</body>
</html>
`;
  return page.replace(CONTROLS, "\ufffd");
}

/** HTML has none, wherever they come from. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const CONTROLS = /[\x00-\x08\x0b\x0e-\x1f\x7f]/g;
