import { createMarkupTag } from "./create-markup-tag.js";
import { escapeHtml } from "./text/escape-html.js";

/** HTML to show. Values in a template are escaped; values that show themselves as HTML or SVG are inserted. */
export const html = createMarkupTag("text/html", ["text/html", "image/svg+xml"], escapeHtml);
