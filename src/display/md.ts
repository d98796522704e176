import { createMarkupTag } from "./create-markup-tag.js";

/** Markdown to show. Values in a template are escaped; values that show themselves as Markdown or HTML are inserted. */
export const md = createMarkupTag("text/markdown", ["text/markdown", "text/html"], (text) =>
  text.replace(/[\\`*_{}[\]<>()#+\-!|~&]/g, "\\$&"),
);
