import { Lexer } from "marked";
import { stillOf } from "../../tables/display/still-of.js";
import type { Cell, Notebook } from "../file/notebook.js";
import { terminalText } from "./terminal-text.js";

/** Characters of a blurb beyond its first sentence. */
const ROOM = 150;

/** What an index says of a notebook. */
interface NotebookSummary {
  /** The first heading. */
  readonly title: string | undefined;
  /** The first sentences of the first paragraph, as plain text. */
  readonly blurb: string;
  /** The first figure among the outputs, as a `data:` URL. */
  readonly picture: string | undefined;
}

/** Reads a notebook's title, first paragraph and first figure. */
export function summarizeNotebook({ cells }: Notebook): NotebookSummary {
  const tokens = cells.filter((cell) => cell.cell_type === "markdown").flatMap((cell) => new Lexer().lex(cell.source));
  const title = tokens.find((token) => token.type === "heading");
  const paragraph = tokens.find((token) => token.type === "paragraph");
  return {
    title: title && "text" in title ? plainText(title.text) : undefined,
    blurb: paragraph && "text" in paragraph ? firstSentences(plainText(paragraph.text)) : "",
    picture: cells.flatMap(picturesOf)[0],
  };
}

function picturesOf(cell: Cell): string[] {
  if (cell.cell_type !== "code") return [];
  return cell.outputs.flatMap((output) => {
    if (!("data" in output)) return [];
    const { "image/svg+xml": svg, "text/html": html } = output.data;
    if (typeof svg === "string") return [`data:image/svg+xml;base64,${Buffer.from(svg).toString("base64")}`];
    return (typeof html === "string" && stillOf(html)) || [];
  });
}

/** Whole sentences that a card has room for, the first at least. */
function firstSentences(text: string): string {
  const sentences = Array.from(
    new Intl.Segmenter("en", { granularity: "sentence" }).segment(text),
    (one) => one.segment,
  );
  let blurb = sentences.shift() ?? "";
  for (const sentence of sentences) {
    if (blurb.length + sentence.trimEnd().length > ROOM) break;
    blurb += sentence;
  }
  return blurb.trim();
}

/** Good enough for a line of summary: links become their text, marks of emphasis and code go. */
function plainText(markdown: string): string {
  return terminalText(markdown)
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replace(/[*`]|\b_|_\b/g, "")
    .replace(/\s+/g, " ")
    .trim();
}

/** How a notebook's run went. */
export interface RunFacts {
  readonly status?: "ok" | "failed";
  readonly durationMs?: number;
}

/** The status and the duration as HTML, for a page's bar. */
export function renderRunFacts({ status, durationMs }: RunFacts): string {
  const pill = status
    ? `<span class="status ${status}">${status === "ok" ? "ran without errors" : "failed"}</span>`
    : "";
  return durationMs === undefined ? pill : `${pill}<span>${formatDuration(durationMs)}</span>`;
}

/** `0.8 s`, `12 s`, `2 min 5 s`. */
export function formatDuration(durationMs: number): string {
  const seconds = durationMs / 1000;
  if (seconds < 9.95) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  return whole < 60 ? `${whole} s` : `${Math.floor(whole / 60)} min ${whole % 60} s`;
}
