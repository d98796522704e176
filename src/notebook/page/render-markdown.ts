import { Marked, Parser } from "marked";
import { escapeHtml } from "../../tables/display/text.js";
import { decodeReferences, markdownTokens, plainText } from "./markdown-tokens.js";
import type { PageHeadings } from "./page-headings.js";
import { preformatted } from "./terminal-text.js";

/** Allowed links of a page. Others, such as `javascript:`, are shown as text. */
const safeLink = /^(https?:|mailto:|#|\.{0,2}\/|[\w-]+(\.[\w-]+)*([/#?]|$))/i;
const safeImage = /^(https:|data:image\/(png|jpeg|gif|webp|svg\+xml)[;,])/i;

/** Types of pictures attached to a cell; their content is base64, except for SVG, which may be plain. */
const pictureTypes = ["image/png", "image/jpeg", "image/gif", "image/webp", "image/svg+xml"];

/** Cell and page of Markdown. */
export interface MarkdownPlace {
  /** Attachments of its cell. */
  readonly attachments?: unknown;
  /** Headings of its page, for anchors. If omitted, headings have no anchors. */
  readonly headings?: PageHeadings | undefined;
}

/** Markdown as HTML. HTML inside it is escaped; only safe links and images are kept. */
export function renderMarkdown(source: string, { attachments, headings }: MarkdownPlace = {}): string {
  const attached = (href: string) => attachedPicture(href, attachments);
  const marked = new Marked({
    gfm: true,
    renderer: {
      code({ text, lang = "" }) {
        const language = /^\S+/.exec(lang)?.[0];
        const attribute = language === undefined ? "" : ` class="language-${escapeHtml(language)}"`;
        return `${preformatted(`<code${attribute}>${escapeHtml(text)}\n</code>`)}\n`;
      },
      heading({ tokens, depth }) {
        if (!headings) return false;
        return headings.render(depth, this.parser.parseInline(tokens), plainText(tokens));
      },
      html({ text }) {
        if (/^<br\s*\/?>$/i.test(text.trim())) return "<br>";
        return text
          .split(/(<img\b[^>]*>)/i)
          .map((part, index) => (index % 2 === 1 && htmlPicture(part, attached)) || escapeHtml(part))
          .join("");
      },
      link({ href, tokens }) {
        return safeLink.test(href) ? false : this.parser.parseInline(tokens);
      },
      image({ href, text, title, tokens }) {
        const picture = attached(href);
        const alt = escapeHtml(tokens ? plainText(tokens) : text);
        const more = title ? ` title="${escapeHtml(title)}"` : "";
        if (picture) return `<img src="${picture}" alt="${alt}"${more}>`;
        return safeImage.test(href) ? false : alt;
      },
    },
  });
  return Parser.parse(markdownTokens(source, marked.defaults), marked.defaults);
}

/** A picture attached to the cell, as JupyterLab stores pasted pictures; undefined if it does not exist. */
function attachedPicture(href: string, attachments: unknown): string | undefined {
  const [, given] = /^attachment:(.+)$/is.exec(href) ?? [];
  if (given === undefined) return undefined;
  const bundle = member(attachments, given) ?? member(attachments, decoded(given));
  for (const type of pictureTypes) {
    const value = member(bundle, type);
    const text = Array.isArray(value) ? value.join("") : value;
    if (typeof text !== "string") continue;
    const isText = type === "image/svg+xml" && text.trimStart().startsWith("<");
    const base64 = isText ? Buffer.from(text).toString("base64") : text.replace(/\s/g, "");
    if (/^[A-Za-z0-9+/]+={0,2}$/.test(base64)) return `data:${type};base64,${base64}`;
  }
  return undefined;
}

/** The picture of `<img src="attachment:plan.png">`, with its size attributes. */
function htmlPicture(tag: string, attached: (href: string) => string | undefined): string | undefined {
  const value = (name: string) => {
    const [, ...quoted] = new RegExp(`\\s${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)'|([^\\s"'>]+))`, "i").exec(tag) ?? [];
    return quoted.find((text) => text !== undefined);
  };
  const picture = attached(decodeReferences(value("src") ?? ""));
  if (!picture) return undefined;
  const sizes = ["width", "height"].flatMap((name) => {
    const size = value(name);
    return size && /^\d{1,5}(?:px|%)?$/.test(size) ? [` ${name}="${size}"`] : [];
  });
  return `<img src="${picture}" alt="${escapeHtml(decodeReferences(value("alt") ?? ""))}"${sizes.join("")}>`;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function member(object: unknown, name: string): unknown {
  const isObject = typeof object === "object" && object !== null && Object.hasOwn(object, name);
  return isObject ? (object as Readonly<Record<string, unknown>>)[name] : undefined;
}
