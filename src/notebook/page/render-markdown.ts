import { Marked } from "marked";
import { escapeHtml } from "../../display/text/escape-html.js";
import { preformatted } from "./preformatted.js";

/** Links that a page may have. Everything else, such as `javascript:`, shows as text. */
const safeLink = /^(https?:|mailto:|#|\.{0,2}\/|[\w-]+(\.[\w-]+)*([/#?]|$))/i;
const safeImage = /^(https:|data:image\/(png|jpeg|gif|webp|svg\+xml)[;,])/i;

const marked = new Marked({
  gfm: true,
  renderer: {
    code({ text, lang = "" }) {
      const language = /^\S+/.exec(lang)?.[0];
      const attribute = language === undefined ? "" : ` class="language-${escapeHtml(language)}"`;
      return `${preformatted(`<code${attribute}>${escapeHtml(text)}\n</code>`)}\n`;
    },
    html({ text }) {
      return /^<br\s*\/?>$/i.test(text.trim()) ? "<br>" : escapeHtml(text);
    },
    link({ href, text }) {
      return safeLink.test(href) ? false : escapeHtml(text);
    },
    image({ href, text }) {
      return safeImage.test(href) ? false : escapeHtml(text);
    },
  },
});

/** Markdown as HTML. HTML inside it is shown, not obeyed; only harmless links and images are kept. */
export function renderMarkdown(source: string): string {
  return marked.parse(source, { async: false });
}
