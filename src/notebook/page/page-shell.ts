import { escapeHtml } from "../../display/escape-html.js";
import { pageStyle } from "./page-style.js";

/** A pages's content in a whole HTML document. No script runs in it and nothing is loaded, whatever the outputs hold. */
export function pageShell(title: string, content: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data: https:">
<title>${escapeHtml(title)}</title>
<style>${pageStyle}</style>
</head>
<body>
${content}
</body>
</html>
`;
}
