import { createMarkupTag } from "./create-markup-tag.js";
import { escapeHtml } from "./text/escape-html.js";

/** An SVG image to show. Values in a template are escaped; other SVG is inserted. */
export const svg = createMarkupTag("image/svg+xml", ["image/svg+xml"], escapeHtml);
