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
  return lines.some((line) => countOf(MARKERS.exec(line)?.[0] ?? "", MARKER) + indentDepth(line) > MAX_DEPTH);
}

/** A nested list is indented by at least two spaces. */
function indentDepth(line: string): number {
  const spaces = line.slice(0, line.length - line.trimStart().length);
  return spaces.replaceAll("\t", "    ").length / 2;
}

function countOf(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0;
}
