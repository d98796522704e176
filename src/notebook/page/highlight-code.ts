import { escapeHtml } from "../../tables/display/text/escape-html.js";

const token =
  /(?<comment>\/\/[^\n]*|\/\*[\s\S]*?\*\/)|(?<string>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`)|(?<number>\b\d[\w.]*)|(?<word>[\p{ID_Start}$_][\p{ID_Continue}$]*)/gu;

const keywords = new Set(
  `as async await break case catch class const continue default delete do else enum export extends false finally for
  from function if implements import in instanceof interface keyof let new null of private public readonly return
  satisfies static super switch this throw true try type typeof undefined var void while yield`.split(/\s+/),
);

/** TypeScript as HTML, with spans for comments, strings, numbers, keywords, types and calls. Made for reading only. */
export function highlightCode(code: string): string {
  let html = "";
  let end = 0;
  for (const match of code.matchAll(token)) {
    html += escapeHtml(code.slice(end, match.index));
    end = match.index + match[0].length;
    const kind = tokenKind(match.groups ?? {}, code[end]);
    html += kind ? `<span class="${kind}">${escapeHtml(match[0])}</span>` : escapeHtml(match[0]);
  }
  return html + escapeHtml(code.slice(end));
}

function tokenKind(groups: Record<string, string | undefined>, next: string | undefined): string | undefined {
  const { comment, string, number, word } = groups;
  if (comment) return "comment";
  if (string) return "string";
  if (number) return "number";
  if (!word) return undefined;
  if (keywords.has(word)) return "keyword";
  if (next === "(") return "call";
  return /^\p{Lu}/u.test(word) ? "type" : undefined;
}
