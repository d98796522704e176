import type { Token } from "marked";
import { Lexer, type MarkedOptions, type TokensList } from "marked";
import { MAX_DEPTH } from "../../core/depth.js";

/** Maximum number of brackets or emphasis marks in a paragraph, whose time grows quadratically. `SECURITY.md` documents it. */
const MOST_MARKS = 2000;

const MARKERS = /^(?:[ \t]*(?:>|[-*+](?=[ \t])|\d{1,9}[.)](?=[ \t])))+/;
const MARKER = />|[-*+]|\d[.)]/g;
const MARK = /[*_~[\]`<!\\]/g;

/** Markdown as tokens. Deeply nested parts, and paragraphs with too many marks, are plain text. */
export function markdownTokens(source: string, options: MarkedOptions = { gfm: true }): TokensList {
  const lexer = new Lexer(options);
  const text = source.replace(/\r\n?/g, "\n");
  if (isTooDeep(text)) {
    lexer.tokens.push({ type: "code", raw: text, text, lang: "" });
    return lexer.tokens;
  }
  lexer.blockTokens(text, lexer.tokens);
  for (const { src, tokens } of lexer.inlineQueue) {
    if (countOf(src, MARK) > MOST_MARKS) tokens.push({ type: "text", raw: src, text: src, escaped: false });
    else lexer.inlineTokens(src, tokens);
  }
  return lexer.tokens;
}

function isTooDeep(text: string): boolean {
  const lines = text.split("\n");
  return lines.some((line) => {
    const [markers = ""] = MARKERS.exec(line) ?? [];
    return countOf(markers, MARKER) + indentDepth(line) > MAX_DEPTH;
  });
}

/** A nested list is indented by at least two spaces. */
function indentDepth(line: string): number {
  const spaces = line.slice(0, line.length - line.trimStart().length);
  return spaces.replaceAll("\t", "    ").length / 2;
}

function countOf(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0;
}

/** Names of characters from U+00A0 on, in their order. */
const latin1 =
  "nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute micro para " +
  "middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave " +
  "Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc " +
  "Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc " +
  "iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml";

/** Named characters of HTML, for Latin and typography. */
const named: ReadonlyMap<string, string> = new Map([
  ...latin1.split(" ").map((name, index) => [name, String.fromCharCode(0xa0 + index)] as const),
  ...Object.entries({
    ...{ amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", OElig: "Œ", oelig: "œ", Scaron: "Š", scaron: "š" },
    ...{ ndash: "–", mdash: "—", lsquo: "‘", rsquo: "’", sbquo: "‚", ldquo: "“", rdquo: "”", bdquo: "„", bull: "•" },
    ...{ hellip: "…", euro: "€", trade: "™", larr: "←", uarr: "↑", rarr: "→", darr: "↓", minus: "−", le: "≤", ge: "≥" },
    ...{ ne: "≠", asymp: "≈", ensp: "\u2002", emsp: "\u2003", thinsp: "\u2009", Delta: "Δ", Omega: "Ω", mu: "μ" },
  }),
]);

const LAST_CODE_POINT = 0x10ffff;

/** Replaces character references (`&amp;`, `&#233;`) with their characters. Unknown names are kept. */
export function decodeReferences(text: string): string {
  return text.replace(/&(?:#x([\da-f]{1,6})|#(\d{1,7})|([a-z]\w*));/gi, (reference, hex, decimal, name) => {
    if (name !== undefined) return named.get(name) ?? reference;
    const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
    return code > 0 && code <= LAST_CODE_POINT ? String.fromCodePoint(code) : "\ufffd";
  });
}

/** Inline Markdown as displayed, without marks: the text of links, code and emphasis, and escaped characters. */
export function plainText(tokens: readonly Token[]): string {
  return tokens.map(tokenText).join("");
}

function tokenText(token: Token): string {
  if (token.type === "br") return " ";
  if (token.type === "html") return /^<br\s*\/?>$/i.test(token.raw.trim()) ? " " : token.raw;
  if ("tokens" in token && token.tokens) return plainText(token.tokens);
  const text = "text" in token ? String(token.text) : token.raw;
  // Code and escaped characters are literal.
  return token.type === "codespan" || token.type === "escape" ? text : decodeReferences(text);
}
