import { printable } from "../../core/printable.js";
import { displaySymbol, elementBundle, type MimeBundle, withNamespace } from "./mime-bundle.js";
import { cutText, escapeHtml, escapeMarkdown } from "./text.js";
import { toMimeBundle } from "./to-mime-bundle.js";

/** Source text of a document format that displays itself. */
class Markup {
  readonly mime: string;
  readonly source: string;

  constructor(mime: string, source: string) {
    this.mime = mime;
    this.source = source;
  }

  [displaySymbol](): MimeBundle {
    const source = this.mime === "image/svg+xml" ? withNamespace(this.source.trimStart()) : this.source;
    return { [this.mime]: source, "text/plain": printable(cutText(this.source)) };
  }

  toString(): string {
    return this.source;
  }
}

/** Creates markup from a template, whose values are escaped, or from source text unchanged. */
type MarkupTag = (parts: TemplateStringsArray | string, ...values: readonly unknown[]) => Markup;

/** HTML for display. Values in a template are escaped; values that display themselves as HTML or SVG are inserted. */
export const html = createMarkupTag("text/html", ["text/html", "image/svg+xml"], escapeHtml);

/**
 * Markdown for display. Values in a template are escaped; values that display themselves as Markdown or HTML are
 * inserted.
 */
export const md = createMarkupTag("text/markdown", ["text/markdown", "text/html"], escapeMarkdown);

/** An SVG image for display. Values in a template are escaped; other SVG is inserted. */
export const svg = createMarkupTag("image/svg+xml", ["image/svg+xml"], escapeHtml);

/**
 * Creates the template tag of a format.
 *
 * @param insertable formats that can be inserted unchanged
 * @param makeSafe escapes plain text
 */
function createMarkupTag(mime: string, insertable: readonly string[], makeSafe: (text: string) => string): MarkupTag {
  const insert = (value: unknown): string => {
    if (Array.isArray(value)) return value.map(insert).join("");
    if (value === null || value === undefined) return "";
    if (typeof value !== "object") return makeSafe(String(value));
    // Elements are inserted unchanged, including figures, whose images would take time.
    const bundle = elementBundle(value) ?? toMimeBundle(value);
    if (bundle instanceof Promise) return makeSafe(String(value));
    const format = insertable.find((format) => typeof bundle[format] === "string");
    return format === undefined ? makeSafe(String(bundle["text/plain"])) : String(bundle[format]);
  };
  return (parts, ...values) => {
    if (typeof parts === "string") return new Markup(mime, parts);
    return new Markup(
      mime,
      parts.map((part, index) => (index === 0 ? part : insert(values[index - 1]) + part)).join(""),
    );
  };
}
