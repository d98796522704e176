import { elementBundle } from "./bundle/element-bundle.js";
import { Markup } from "./bundle/markup.js";
import { toMimeBundle } from "./to-mime-bundle.js";

/** Makes markup from a template, whose values are escaped, or from source text as it stands. */
export type MarkupTag = (parts: TemplateStringsArray | string, ...values: readonly unknown[]) => Markup;

/**
 * Makes the template tag of a format.
 *
 * @param insertable formats that can stand inside as they are
 * @param makeSafe makes plain text safe
 */
export function createMarkupTag(
  mime: string,
  insertable: readonly string[],
  makeSafe: (text: string) => string,
): MarkupTag {
  const insert = (value: unknown): string => {
    if (Array.isArray(value)) return value.map(insert).join("");
    if (value === null || value === undefined) return "";
    if (typeof value !== "object") return makeSafe(String(value));
    // Elements can be inserted as they are, also those of figures, whose images take time.
    const bundle = elementBundle(value) ?? toMimeBundle(value);
    if (bundle instanceof Promise) return makeSafe(String(value));
    const found = insertable.find((format) => typeof bundle[format] === "string");
    return found === undefined ? makeSafe(String(bundle["text/plain"])) : String(bundle[found]);
  };
  return (parts, ...values) => {
    if (typeof parts === "string") return new Markup(mime, parts);
    return new Markup(
      mime,
      parts.map((part, index) => (index === 0 ? part : insert(values[index - 1]) + part)).join(""),
    );
  };
}
